import { PausableInstruction } from "@solana/spl-token"
import { PublicKey, type VersionedMessage, type VersionedTransactionResponse } from "@solana/web3.js"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { decodeInstructions } from "#server/solana/decode.ts"
import { TOKEN_PROGRAMS } from "#server/solana/payment-mint.ts"
import type { Address } from "#shared/address.ts"
import { type BaseUnits, readBaseUnits } from "#shared/amount.ts"

/** The effect of a transaction under one of our memos: the instruction directly after it, or the memo itself at the end. */
export type Carried = {
  /** The id in the memo: an operation's or an attestation's. */
  id: string
  memo: string
  /** The program's name for it: `MintToChecked`. */
  instruction: string
  accounts: Address[]
  /** Base units that it minted, burned or moved; null if none. */
  amount: BaseUnits | null
  /** Whether the transaction ended the pause of its mint for it. */
  isResumed: boolean
  /**
   * The same operation's other movements in the transaction. One that takes from a wallet's two accounts has a movement
   * for each, behind the same memo.
   */
  more: { accounts: Address[]; amount: BaseUnits }[]
}

/** Everything that one of our transactions carried, in order. */
export function carriedBy(message: VersionedMessage): Carried[] {
  const all = effectsIn(message)
  const first = new Map<string, Carried>()
  return all.filter((one) => {
    const { memo, instruction, accounts, amount } = one
    if (amount === null) return true
    const known = first.get(`${memo}/${instruction}`)
    if (known === undefined) first.set(`${memo}/${instruction}`, one)
    else known.more.push({ accounts, amount })
    return known === undefined
  })
}

function effectsIn(message: VersionedMessage): Carried[] {
  const instructions = decodeInstructions(message)
  const resumed = new Set<string>()
  return instructions.flatMap(({ memo, name, data, accounts }, i): Carried[] => {
    if (name === "PausableExtension") {
      const isResume = Buffer.from(data, "base64")[1] === PausableInstruction.Resume
      resumed[isResume ? "add" : "delete"](accounts[0]!.address)
    }
    const id = memo === null ? undefined : /^vouch:1:([^:]+)/.exec(memo)?.[1]
    if (id === undefined) return []
    const next = instructions[i + 1] ?? instructions[i]!
    return [
      {
        id,
        memo: memo!,
        instruction: next.name ?? "unknown",
        accounts: next.accounts.map(({ address }) => address as Address),
        amount: next.amount === null ? null : readBaseUnits(next.amount),
        isResumed: next.accounts.some(({ address }) => resumed.has(address)),
        more: [],
      },
    ]
  })
}

/**
 * The owners of the token accounts that a transaction creates, from the instructions: the third account of the one that
 * creates a wallet's main account, and the data of the one that initializes a hold account.
 */
export function ownersIn(message: VersionedMessage): Map<Address, Address> {
  return new Map(
    decodeInstructions(message).flatMap(({ program_name, name, accounts, data }): [Address, Address][] => {
      const [first, second, third] = accounts.map(({ address }) => address as Address)
      if (program_name === "Associated token account" && name !== null) return [[second!, third!]]
      if (program_name !== "Token-2022" || name !== "InitializeAccount3") return []
      return [[first!, addressOf(new PublicKey(Buffer.from(data, "base64").subarray(1, 33)))]]
    }),
  )
}

/** Whether an account is the one associated with a mint and an owner, under either token program. */
export const isAssociated = (account: Address, mint: PublicKey, owner: PublicKey): boolean =>
  TOKEN_PROGRAMS.some((program) => addressOf(tokenAccountOf(mint, owner, program)) === account)

/**
 * The owners of token accounts at the time of a transaction, as a node reports them: since then, an owner may have closed
 * an account. Only those whose address derives from the owner, so a node cannot report a false one.
 */
export function ownersReported(message: VersionedMessage, meta: Meta): [Address, Address][] {
  return (meta?.postTokenBalances ?? []).flatMap(({ accountIndex, mint, owner }): [Address, Address][] => {
    const key = message.staticAccountKeys[accountIndex]
    if (!key || owner === undefined) return []
    const account = addressOf(key)
    const keys = [mint, owner].map((text) => new PublicKey(text)) as [PublicKey, PublicKey]
    return isAssociated(account, ...keys) ? [[account, addressOf(keys[1])]] : []
  })
}

type Meta = VersionedTransactionResponse["meta"]
