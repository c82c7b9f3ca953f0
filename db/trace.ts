import { currentSpan } from "#server/lib/trace.ts"
import { type Statement, settle } from "./connection.ts"

type Described = { name: string; text: string }

/** Maximum length of a statement's text in a span. */
const MOST_CHARACTERS = 1000

/** Keyed by the template, which is the same object each time. */
const known = new WeakMap<readonly string[], Described>()

/** Records a statement as a span of its sender, if that is traced: with its text, and never a value. */
export function traceStatement(statement: Statement): void {
  const span = currentSpan()
  if (span === undefined) return
  const { name, text } = describe((statement as unknown as { strings: readonly string[] }).strings)
  const attributes = { "db.system.name": "postgresql", "db.query.text": text }
  const own = span.child(name, { kind: "client", attributes })
  if (own)
    settle(
      statement,
      () => own.end(),
      (error) => own.end({ error }),
    )
}

function describe(strings: readonly string[]): Described {
  const before = known.get(strings)
  if (before) return before
  const text = strings.join("?").replace(/\s+/g, " ").trim().slice(0, MOST_CHARACTERS)
  const verb = /\w+/.exec(text)?.[0].toUpperCase() ?? "QUERY"
  const table = /\b(?:from|into|update) (?:only )?([a-z_]+)/i.exec(text)?.[1]
  const described = { name: table === undefined ? verb : `${verb} ${table}`, text }
  known.set(strings, described)
  return described
}
