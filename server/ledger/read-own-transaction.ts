import type { VersionedMessage } from "@solana/web3.js"
import bs58 from "bs58"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing, isUnreadable } from "#server/solana/rpc/errors.ts"
import { verifierOf } from "#server/solana/signers/ed25519.ts"
import type { Address } from "#shared/address.ts"
import { paidBy, readIssuers } from "./issuer.ts"

/** Which workspace each key issues for, read once when first needed. */
export type Issuers = () => Promise<ReadonlyMap<Address, string>>
export function issuersOf(chain: Chain): Issuers {
  let known: Promise<ReadonlyMap<Address, string>> | null = null
  return () => {
    known ??= readIssuers(chain)
    return known
  }
}

/**
 * The transaction, if one of our fee payers or authorities signed it: a restored database may no longer know a
 * workspace's fee payer. Anyone can name our keys in a transaction and copy our memo into it. Null if it is a
 * stranger's, or of a version that Vouch does not sign. Throws if the node that lists it does not return it.
 */
export async function readOwnTransaction(chain: Chain, signature: string, issuers: Issuers) {
  const told = await chain.rpc.settling.transaction(signature).catch((error) => {
    if (isUnreadable(error)) return "unreadable" as const
    throw error
  })
  if (told === null) throw new HistoryMissing(`${signature} is listed, but the node does not return it`)
  if (told === "unreadable") return null
  // An attacker who makes up a transaction does not have our key.
  if (!isSigned(told.transaction)) throw new HistoryMissing(`${signature} is returned with a wrong signature`)
  const [payer, ...others] = signersOf(told.transaction.message)
  if ((await paidBy(chain)).has(payer!)) return told.transaction
  const known = await issuers()
  return others.some((signer) => known.has(signer)) ? told.transaction : null
}

const isSigned = ({ message, signatures }: { message: VersionedMessage; signatures: string[] }): boolean => {
  const bytes = message.serialize()
  return signersOf(message).every((signer, i) =>
    verifierOf(bs58.decode(signer))(bytes, bs58.decode(signatures[i] ?? "")),
  )
}

/** The signers of a transaction, its fee payer first. */
export const signersOf = ({ header, staticAccountKeys }: VersionedMessage): Address[] =>
  staticAccountKeys.slice(0, header.numRequiredSignatures).map(addressOf)
