import { AsyncLocalStorage } from "node:async_hooks"
import * as client from "#db/client.ts"
import type { Keys } from "#server/solana/keys.ts"
import { RpcNode } from "#server/solana/rpc/node.ts"

/** Whether the current code runs in a database transaction, and whether that is still open. */
const within = new AsyncLocalStorage<{ isOpen: boolean }>()

const refused: string[] = []

function refuse(call: string): never {
  const { stack } = new Error(`${call} was called inside a database transaction`)
  refused.push(stack!)
  throw new Error(stack)
}

/**
 * Makes calls to the chain fail if a database transaction waits for them, because its locks would last until the chain
 * responds. Returns the refused calls.
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

/** Makes signatures fail in the same way. */
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
