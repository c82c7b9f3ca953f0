import type postgres from "postgres"
import {
  type Connection,
  isWritable,
  type Queryable,
  redirect,
  type Statement,
  settle,
  type Types,
} from "./connection.ts"
import { hasCode } from "./errors.ts"
import { traceStatement } from "./trace.ts"

/** The statements of a transaction. A savepoint undoes only its own part if it throws. */
export type Transaction = Queryable & {
  savepoint<T>(work: (sql: Transaction) => Promise<T>): Promise<T>
}

export type Work<T> = (sql: Transaction) => Promise<T>

const nothing = (): void => {}

/** A statement behind a failed one reports that failure later, so that its sender sees the first error first. */
function letFirstFailureWin(statement: Statement): void {
  const { reject } = statement
  statement.reject = (error) => {
    if (hasCode(error, "in_failed_sql_transaction")) setImmediate(reject, error)
    else reject(error)
  }
}

/** One transaction on a connection. */
export class Session {
  readonly sql: Transaction
  /** The first failed statement: the database has undone everything since the beginning, or since the savepoint. */
  failure: unknown = null
  readonly #connection: Connection
  #isOpen = true
  #savepoints = 0

  constructor(tag: postgres.Sql<Types>, connection: Connection) {
    this.#connection = connection
    const note = (error: unknown) => {
      this.failure ??= error
    }
    const bound = bindTag(tag, (statement) => {
      if (!this.#isOpen) return statement.reject(new Error("the transaction of this statement has ended"))
      traceStatement(statement)
      settle(statement, nothing, note)
      letFirstFailureWin(statement)
      connection.execute(statement, isWritable(statement))
    })
    this.sql = Object.assign(bound, { savepoint: <T>(work: Work<T>) => this.#savepoint(work) })
  }

  async #savepoint<T>(work: Work<T>): Promise<T> {
    const name = `s${this.#savepoints++}`
    await this.sql.unsafe(`savepoint ${name}`)
    try {
      const result = await work(this.sql)
      if (this.failure) throw this.failure
      return result
    } catch (error) {
      if (!this.#connection.doubt) {
        await this.sql.unsafe(`rollback to ${name}`)
        this.failure = null
      }
      throw error
    }
  }

  close(): void {
    this.#isOpen = false
  }
}

/** The tag of a client whose statements another connection sends. */
export function bindTag(tag: postgres.Sql<Types>, send: Statement["handler"]): Queryable {
  const bound = (first: TemplateStringsArray, ...rest: never[]) => redirect(tag(first, ...rest), send)
  return Object.assign(bound, {
    json: tag.json,
    types: tag.types,
    typed: tag.typed,
    unsafe: (text: string, args?: never[], options?: postgres.UnsafeQueryOptions) =>
      redirect(tag.unsafe(text, args ?? [], options), send),
  }) as unknown as Queryable
}
