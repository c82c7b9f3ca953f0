import type { VersionedMessage } from "@solana/web3.js"
import { decodeInstructions } from "#server/solana/decode.ts"
import type { Address } from "#shared/address.ts"
import { type BaseUnits, readBaseUnits } from "#shared/amount.ts"

/** What a transaction did under one of our memos: the instruction right behind it. */
export type Carried = {
  /** The id in the memo: an operation's, or an attestation's. */
  id: string
  memo: string
  /** As the program calls it: `MintToChecked`. */
  instruction: string
  accounts: Address[]
  /** Base units that it minted, burnt or moved; null where it did none of that. */
  amount: BaseUnits | null
}

/** Everything that a transaction of ours carried, in its order. */
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

/** Whose token accounts those are that a transaction makes, by the instructions that make them: `payer, account, owner, …` */
export function ownersIn(message: VersionedMessage): Map<Address, Address> {
  const made = decodeInstructions(message).filter(
    ({ program_name, name }) => program_name === "Associated token account" && name !== null,
  )
  return new Map(
    made.map(({ accounts }) => [accounts[1]!.address as Address, accounts[2]!.address as Address]),
  )
}
