import { fail } from "#shared/errors.ts"
import { quoted } from "./text.ts"

/** Deepest nesting of input. Requests to Vouch are flat. */
const MAX_DEPTH = 32
const ZERO = "must not contain the character U+0000"

/**
 * Refuses input with text that Postgres cannot store: no field accepts it, and a query that compares with it fails. REST
 * refuses it with each field's own message. Errors: validation_failed; malformed_request if nested too deeply.
 */
export function requireStorable(input: unknown): void {
  look(input, [])
}

function look(value: unknown, path: readonly string[]): void {
  if (typeof value === "string") check(value, path)
  if (typeof value !== "object" || value === null) return
  if (path.length === MAX_DEPTH)
    fail("malformed_request", `The input is nested deeper than ${MAX_DEPTH} levels. Send a flatter one.`)
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, quoted(name)]
    check(name, at)
    look(inner, at)
  }
}

function check(text: string, path: readonly string[]): void {
  const flaw = text.includes("\0") ? ZERO : text.isWellFormed() ? null : "must not contain halves of surrogate pairs"
  if (flaw !== null) fail("validation_failed", `${path.join(".") || "input"}: ${flaw}.`)
}

/** The same for the raw address of a page. Errors: malformed_request, validation_failed. */
export function requireStorableAddress(url: string): void {
  if (!url.includes("%00")) return
  const [path, query] = [url.split("?", 1)[0]!, url.slice(url.indexOf("?") + 1)]
  if (path.includes("%00")) fail("malformed_request", `The path ${ZERO}.`)
  for (const [name, value] of new URLSearchParams(query)) {
    if (`${name}${value}`.includes("\0")) fail("validation_failed", `${quoted(name)}: ${ZERO}.`)
  }
}
