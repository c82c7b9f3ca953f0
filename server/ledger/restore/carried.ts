import type { VersionedMessage } from "@solana/web3.js"
import { decodeInstructions } from "#server/solana/decode.ts"
import type { Address } from "#shared/address.ts"
import { type BaseUnits, readBaseUnits } from "#shared/amount.ts"

/** The effect of a transaction under one of our memos: the instruction directly after it. */
export type Carried = {
  /** The id in the memo: an operation's or an attestation's. */
  id: string
  memo: string
  /** The program's name for it: `MintToChecked`. */
  instruction: string
  accounts: Address[]
  /** Base units that it minted, burned or moved; null if none. */
  amount: BaseUnits | null
}

/** Everything that one of our transactions carried, in order. */
export function carriedBy(message: VersionedMessage): Carried[] {
  const instructions = decodeInstructions(message)
  return instructions.flatMap(({ memo }, i): Carried[] => {
    const id = memo === null ? undefined : /^vouch:1:([^:]+)/.exec(memo)?.[1]
    const next = instructions[i + 1]
    if (id === undefined || !next) return []
    return [
      {
        id,
        memo: memo!,
        instruction: next.name ?? "unknown",
        accounts: next.accounts.map(({ address }) => address as Address),
        amount: next.amount === null ? null : readBaseUnits(next.amount),
      },
    ]
  })
}

/** The owners of the token accounts that a transaction creates, from the instructions: `payer, account, owner, …` */
export function ownersIn(message: VersionedMessage): Map<Address, Address> {
  const made = decodeInstructions(message).filter(
    ({ program_name, name }) => program_name === "Associated token account" && name !== null,
  )
  return new Map(made.map(({ accounts }) => [accounts[1]!.address as Address, accounts[2]!.address as Address]))
}
