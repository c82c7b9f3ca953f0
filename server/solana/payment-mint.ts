import * as spl from "@solana/spl-token"
import { unpack as unpackMetadata } from "@solana/spl-token-metadata"
import { type AccountInfo, PublicKey } from "@solana/web3.js"
import type { Address } from "#shared/address.ts"
import { addressOf, publicKeyOf } from "./addresses.ts"

/** A token that Vouch pays with. Others issue it, so all of this is read from the chain. */
export type PaymentMint = {
  mint: PublicKey
  /** The token program that owns it. */
  program: PublicKey
  decimals: number
  /** Its name and symbol, as its issuer wrote them on chain; null if it did not. */
  name: string | null
  symbol: string | null
}

/** A mint that Vouch can pay with, or why it cannot. */
export type ReadPaymentMint = PaymentMint | { refused: string }

/** The token programs that a payment mint can obey. */
export const TOKEN_PROGRAMS = [spl.TOKEN_PROGRAM_ID, spl.TOKEN_2022_PROGRAM_ID] as const

export const isTokenProgram = (program: PublicKey): boolean => TOKEN_PROGRAMS.some((one) => one.equals(program))

const { ExtensionType: Extension } = spl

/** Extensions that change neither what arrives nor who can take it away again. */
const HARMLESS: ReadonlySet<number> = new Set([
  Extension.MintCloseAuthority,
  Extension.ConfidentialTransferMint,
  Extension.MetadataPointer,
  Extension.TokenMetadata,
  Extension.GroupPointer,
  Extension.TokenGroup,
  Extension.GroupMemberPointer,
  Extension.TokenGroupMember,
  Extension.PausableConfig,
  Extension.PermissionedBurn,
])

/** Why Vouch does not pay with a mint that has an extension. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [Extension.TransferFeeConfig, "it has a transfer fee, so less would arrive than is paid"],
  [Extension.TransferHook, "it has a transfer hook, so another program could refuse payments"],
  [Extension.NonTransferable, "its tokens cannot be transferred"],
  [Extension.PermanentDelegate, "it has a permanent delegate, who can take payments back"],
  [Extension.InterestBearingConfig, "it bears interest, so wallets show other amounts than are paid"],
  [Extension.ScaledUiAmountConfig, "it scales amounts, so wallets show other amounts than are paid"],
])

/** Metaplex Token Metadata (https://developers.metaplex.com/token-metadata): where classic mints have their names. */
const METAPLEX = new PublicKey("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s")
/** Its account: a key, the update authority and the mint, then texts. */
const METAPLEX_MINT_AT = 33
const METAPLEX_TEXTS_AT = 65

const metadataOf = (mint: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([Buffer.from("metadata"), METAPLEX.toBytes(), mint.toBytes()], METAPLEX)[0]

/** The accounts that `readPaymentMint` needs, in its order. */
export const accountsOfPaymentMint = (mint: Address): [PublicKey, PublicKey] => {
  const key = publicKeyOf(mint)
  return [key, metadataOf(key)]
}

/** Reads a payment mint, and checks that what is paid arrives and stays. */
export function readPaymentMint(
  address: Address,
  info: AccountInfo<Buffer> | null | undefined,
  metadata: AccountInfo<Buffer> | null | undefined,
): ReadPaymentMint {
  if (!info) return { refused: "no account exists at this address" }
  if (!isTokenProgram(info.owner)) return { refused: `it belongs to the program ${addressOf(info.owner)}` }
  const mint = publicKeyOf(address)
  const unpacked = unpackMint(mint, info)
  if (unpacked === null) return { refused: "it is not a mint" }
  const refused = refusalOf(unpacked)
  if (refused !== null) return { refused }
  const program = TOKEN_PROGRAMS.find((one) => one.equals(info.owner))!
  return { mint, program, decimals: unpacked.decimals, ...textsOf(unpacked, metadata) }
}

/** Whether a payment mint is paused: nothing can be paid until its issuer resumes it. */
export const isPausedMint = (address: Address, info: AccountInfo<Buffer>): boolean => {
  const mint = unpackMint(publicKeyOf(address), info)
  return mint !== null && (spl.getPausableConfig(mint)?.paused ?? false)
}

function unpackMint(mint: PublicKey, info: AccountInfo<Buffer>): spl.Mint | null {
  try {
    const unpacked = spl.unpackMint(mint, info, info.owner)
    return unpacked.isInitialized ? unpacked : null
  } catch {
    return null
  }
}

function refusalOf(mint: spl.Mint): string | null {
  for (const type of spl.getExtensionTypes(mint.tlvData)) {
    const state = type === Extension.DefaultAccountState ? spl.getDefaultAccountState(mint)?.state : undefined
    if (state === spl.AccountState.Initialized || HARMLESS.has(type)) continue
    if (state !== undefined) return "its accounts are created frozen, so recipients could not use payments"
    return REASONS.get(type) ?? `Vouch does not know its extension ${Extension[type] ?? type}`
  }
  return null
}

type Texts = Pick<PaymentMint, "name" | "symbol">

function textsOf(mint: spl.Mint, metadata: AccountInfo<Buffer> | null | undefined): Texts {
  const own = spl.getExtensionData(Extension.TokenMetadata, mint.tlvData)
  if (own !== null) {
    try {
      const { name, symbol } = unpackMetadata(own)
      return { name: readable(name), symbol: readable(symbol) }
    } catch {
      return { name: null, symbol: null }
    }
  }
  return metadata?.owner.equals(METAPLEX) ? readMetaplex(metadata.data, mint.address) : { name: null, symbol: null }
}

/** Two texts with their lengths. The program pads them with zeros. */
function readMetaplex(data: Buffer, mint: PublicKey): Texts {
  const nothing = { name: null, symbol: null }
  if (
    data.length < METAPLEX_TEXTS_AT ||
    !mint.equals(new PublicKey(data.subarray(METAPLEX_MINT_AT, METAPLEX_TEXTS_AT)))
  )
    return nothing
  const texts: string[] = []
  for (let at = METAPLEX_TEXTS_AT; texts.length < 2; ) {
    if (data.length < at + 4) return nothing
    const end = at + 4 + data.readUInt32LE(at)
    if (data.length < end) return nothing
    texts.push(data.subarray(at + 4, end).toString("utf8"))
    at = end
  }
  return { name: readable(texts[0]!), symbol: readable(texts[1]!) }
}

/** The longest name or symbol that is shown. Metaplex allows 32 bytes. */
export const MOST_CHARACTERS = 64

/** The issuer's text, without characters that are invisible or change its direction. Null if nothing is left. */
function readable(text: string): string | null {
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu, "").trim()
  return shown === "" ? null : [...shown].slice(0, MOST_CHARACTERS).join("")
}
