import { AsyncLocalStorage } from "node:async_hooks"
import * as client from "#db/client.ts"
import type { Keys } from "#server/solana/keys.ts"
import { RpcNode } from "#server/solana/rpc/node.ts"

/** Whether the current work belongs to a database transaction, and whether that is still open. */
const within = new AsyncLocalStorage<{ isOpen: boolean }>()

const refused: string[] = []

function refuse(call: string): never {
  const { stack } = new Error(`${call} was asked for inside a transaction of the database`)
  refused.push(stack!)
  throw new Error(stack)
}

/**
 * From now on a call of the chain fails that is made while a transaction of the database waits for it: what it has
 * locked would be locked for as long as the chain likes. Returns the calls that were refused.
 */
export function forbidChainInTransactions(): string[] {
  for (const pool of Object.values(client)) if (isPool(pool)) markTransactions(pool)
  const { prototype } = RpcNode
  const { ask } = prototype
  prototype.ask = function (this: RpcNode, ...question: Parameters<typeof ask>) {
    return within.getStore()?.isOpen ? refuse("the chain") : ask.apply(this, question)
  } as typeof ask
  return refused
}

/** A signature that is asked for in a transaction of the database fails in the same way. */
export const forbidSigningInTransactions =
  (keys: Keys): Keys =>
  (purpose) => {
    const { publicKey, sign } = keys(purpose)
    return {
      publicKey,
      async sign(messages) {
        if (within.getStore()?.isOpen) refuse(`a signature of ${purpose}`)
        return sign(messages)
      },
    }
  }

const isPool = (value: unknown): value is client.Sql =>
  typeof value === "function" && typeof (value as unknown as client.Sql).begin === "function"

function markTransactions(pool: client.Sql): void {
  const begin = pool.begin.bind(pool) as (...given: unknown[]) => Promise<unknown>
  const marked = (...given: unknown[]) => {
    const work = given.pop() as (sql: unknown) => Promise<unknown>
    return begin(...given, (sql: unknown) => {
      const transaction = { isOpen: true }
      return within.run(transaction, async () => {
        try {
          return await work(sql)
        } finally {
          transaction.isOpen = false
        }
      })
    })
  }
  pool.begin = marked as typeof pool.begin
}
