import { writeArray } from "#db/arrays.ts"
import { queuePool } from "#db/client.ts"

/** Scripts of pg-boss that are a transaction each: they need a connection to themselves, and one that is left as it was. */
const IS_TRANSACTION = /^\s*begin\b/i

/**
 * The database for pg-boss, through connections like all others of Vouch: with the same address, TLS and hosts. pg-boss
 * expects values as node-postgres has them: a JSON parameter that is a string is JSON already, and a bigint is read as a
 * string.
 */
export function openQueueDatabase(url: string) {
  const pool = queuePool(url, {
    max: 2,
    types: {
      json: {
        to: 114,
        from: [114, 3802],
        serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
        parse: (text: string) => JSON.parse(text) as unknown,
      },
      bigint: { to: 20, from: [], serialize: String, parse: String },
    },
  })
  const { sql } = pool
  return {
    end: () => pool.end(),
    async executeSql(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
      if (!IS_TRANSACTION.test(text))
        return { rows: rowsOf(await sql.unsafe(text, values.map(written) as never[])) }
      const own = await sql.reserve()
      try {
        return { rows: rowsOf(await own.unsafe(text)) }
      } catch (error) {
        await own.unsafe("rollback").catch(() => {})
        throw error
      } finally {
        own.release()
      }
    },
  }
}

/** postgres.js writes arrays of the types alone that it knows: not of uuid. */
const written = (value: unknown): unknown => (Array.isArray(value) ? writeArray(value) : value)

/** A script of several statements has a result for each. */
const rowsOf = (found: readonly unknown[]): unknown[] => (Array.isArray(found[0]) ? found.flat() : [...found])
