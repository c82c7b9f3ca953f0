import type postgres from "postgres"
import type { Queryable } from "./client.ts"
import type { Statement } from "./connection.ts"

// postgres.js puts a statement and its fragments together at each execution, and each fragment is a promise that survives
// until a full garbage collection. For the twenty fragments of a start, that was a fifth of its processor time.

// biome-ignore lint/suspicious/noExplicitAny: a part of a statement, with any kind of rows
type Fragment = postgres.PendingQuery<any>

/** Stands in a fragment for a value that each execution reads from its input. */
class Parameter {
  readonly read: (input: never) => unknown
  constructor(read: (input: never) => unknown) {
    this.read = read
  }
}

/**
 * Marks a value of a prepared statement: `value((input) => input.wallet)`. Its type is that of the value, so that
 * fragments accept it, but it must only be put into a fragment.
 */
export type Value<Input> = <T>(read: (input: Input) => T) => T

/**
 * A statement whose text is put together once for each combination of its optional parts (`partsOf`), and whose values
 * are read from the input of each execution. `build` gets `value`, which marks what varies. Anything else in a fragment, except
 * for a number, is an error, because it would keep the value of the first execution.
 */
export function prepared<Input, Row extends object, Parts extends Record<string, boolean> = Record<string, never>>(
  build: (value: Value<Input>, parts: Parts) => Fragment,
  partsOf: (input: Input) => Parts = () => ({}) as Parts,
) {
  const known = new Map<string, { text: string; parameters: Parameter[] }>()
  return (sql: Queryable, input: Input) => {
    const parts = partsOf(input)
    const key = Object.values(parts).join()
    let statement = known.get(key)
    if (!statement) {
      const parameters: Parameter[] = []
      const text = textOf(
        build((read) => new Parameter(read) as never, parts),
        parameters,
      )
      statement = { text, parameters }
      known.set(key, statement)
    }
    const values = statement.parameters.map(({ read }) => read(input as never))
    return sql.unsafe<Row[]>(statement.text, values as never[], { prepare: true })
  }
}

function textOf(fragment: Fragment, parameters: Parameter[]): string {
  const { strings, args } = fragment as unknown as Statement & { strings: readonly string[] }
  return strings.reduce((text, string, at) => text + placeholderOf(args[at - 1], parameters) + string)
}

function placeholderOf(part: unknown, parameters: Parameter[]): string {
  if (part instanceof Promise) return textOf(part as Fragment, parameters)
  if (typeof part === "number") return String(part)
  if (!(part instanceof Parameter)) throw new TypeError("a value of a prepared statement is not marked")
  const known = parameters.indexOf(part)
  return `$${known < 0 ? parameters.push(part) : known + 1}`
}
