import type { Fault, RpcProxy } from "./rpc-proxy.ts"

/** What a node claims. All of its responses are consistent with this, at every commitment. */
export type Lies = {
  /** Unknown transactions have landed and are finalized. */
  everythingLanded: boolean
  /** Transactions that landed since this slot have not landed. */
  nothingSince: number
  /** It still returns those transactions to `getTransaction`. */
  transactions: boolean
  /** Finalized transactions have failed. */
  everythingFailed: boolean
  /** These accounts do not exist. */
  absent: Set<string>
  /** These token accounts are empty. */
  empty: Set<string>
  /** How often it has lied about accounts. */
  said: number
}

type Status = { slot: number; confirmationStatus: string } | null
type WithContext<T> = { context: { slot: number }; value: T }

const FINAL = { confirmationStatus: "finalized" }
const FAILURE = { InstructionError: [4, { Custom: 1 }] }

/** Makes a node lie consistently. Changes to `lies` take effect at once; `stop` makes the node honest again. */
export function makeNodeLie(node: RpcProxy, given: Partial<Lies>): { lies: Lies; stop: () => void } {
  const lies: Lies = {
    everythingLanded: false,
    nothingSince: Number.POSITIVE_INFINITY,
    transactions: false,
    everythingFailed: false,
    absent: new Set(),
    empty: new Set(),
    said: 0,
    ...given,
  }
  const fault: Fault = async ({ method, params }, ask) => {
    const reply = await ask()
    if (typeof reply !== "object" || !("result" in reply)) return reply
    const change = changes[method]
    return change ? { result: change(reply.result as never, params, lies) } : reply
  }
  node.fault = fault
  return {
    lies,
    stop() {
      node.fault = null
    },
  }
}

type Change = (result: never, params: unknown[], lies: Lies) => unknown

type Account = { data: [string, string] }

/** A token account's data starts with `mint, owner, amount`. */
const AMOUNT_OFFSET = 64

function emptied(account: Account | null): Account | null {
  if (account === null) return null
  const data = Buffer.from(account.data[0], "base64")
  data.writeBigUInt64LE(0n, AMOUNT_OFFSET)
  return { ...account, data: [data.toString("base64"), "base64"] }
}

const isHidden = (one: { slot: number } | null, { nothingSince }: Lies) => one !== null && one.slot >= nothingSince

const changes: { [method: string]: Change } = {
  getSignatureStatuses: ({ context, value }: WithContext<Status[]>, _params, lies) => ({
    context,
    value: value.map((one) => {
      if (one === null && lies.everythingLanded)
        return { slot: context.slot - 40, confirmations: null, err: null, ...FINAL, status: { Ok: null } }
      if (isHidden(one, lies)) return null
      return one && lies.everythingFailed ? { ...one, ...FINAL, err: FAILURE, status: { Err: FAILURE } } : one
    }),
  }),
  getSignaturesForAddress: (list: { slot: number }[], _params, lies) => list.filter((one) => !isHidden(one, lies)),
  getTransaction: (one: { slot: number; meta: object } | null, _params, lies) => {
    if (isHidden(one, lies) && !lies.transactions) return null
    return one && lies.everythingFailed ? { ...one, meta: { ...one.meta, err: FAILURE } } : one
  },
  getMultipleAccounts: ({ context, value }: WithContext<unknown[]>, params, lies) => ({
    context,
    value: value.map((one, i) => {
      const address = (params[0] as string[])[i]!
      if (!lies.absent.has(address) && !lies.empty.has(address)) return one
      lies.said++
      return lies.absent.has(address) ? null : emptied(one as Account | null)
    }),
  }),
}
