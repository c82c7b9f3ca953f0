import { fail } from "#shared/errors.ts"
import { quoted } from "./text.ts"

/** Deepest nesting of an input. What Vouch reads is flat. */
const MAX_DEPTH = 32
const ZERO = "must not contain the character U+0000"

/**
 * Refuses an input that holds a text which Postgres cannot: no field takes one, and a query that compares
 * with it fails. REST says it in the words of each field. Errors: validation_failed; malformed_request for
 * what is nested too deeply.
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
  const flaw = text.includes("\0")
    ? ZERO
    : text.isWellFormed()
      ? null
      : "must not contain halves of surrogate pairs"
  if (flaw !== null) fail("validation_failed", `${path.join(".") || "input"}: ${flaw}.`)
}

/** The same for the address of a page, as it is sent. Errors: malformed_request, validation_failed. */
export function requireStorableAddress(url: string): void {
  if (!url.includes("%00")) return
  const [path, query] = [url.split("?", 1)[0]!, url.slice(url.indexOf("?") + 1)]
  if (path.includes("%00")) fail("malformed_request", `The path ${ZERO}.`)
  for (const [name, value] of new URLSearchParams(query)) {
    if (`${name}${value}`.includes("\0")) fail("validation_failed", `${quoted(name)}: ${ZERO}.`)
  }
}
