import * as spl from "@solana/spl-token"
import {
  type Connection,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  type VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import { type MintExtension, mintExtensions } from "#shared/mint-extensions.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { readTransactionError, TokenError } from "./program-error.ts"

type Definition = {
  type: spl.ExtensionType
  /** The role of its authority, which the mint's authority holds. */
  role: spl.AuthorityType
  /** Its authority, as audits name it. */
  power: string
  initialize(mint: PublicKey, authority: PublicKey): TransactionInstruction
  /** The key that holds the role, null if none does; undefined if the mint does not have the extension. */
  authorityOf(mint: spl.Mint): PublicKey | null | undefined
}

const programId = spl.TOKEN_2022_PROGRAM_ID

/** Amounts are never scaled; the extension is there for a later split. */
const MULTIPLIER = 1

export const extensionDefinitions: Record<MintExtension, Definition> = {
  pausable: {
    type: spl.ExtensionType.PausableConfig,
    role: spl.AuthorityType.PausableConfig,
    power: "pause authority",
    initialize: (mint, authority) => spl.createInitializePausableConfigInstruction(mint, authority, programId),
    authorityOf: (mint) => spl.getPausableConfig(mint)?.authority,
  },
  scaled_ui_amount: {
    type: spl.ExtensionType.ScaledUiAmountConfig,
    role: spl.AuthorityType.ScaledUiAmountConfig,
    power: "scaling authority",
    initialize: (mint, authority) =>
      spl.createInitializeScaledUiAmountConfigInstruction(mint, authority, MULTIPLIER, programId),
    authorityOf: (mint) => spl.getScaledUiAmountConfig(mint)?.authority,
  },
  permissioned_burn: {
    type: spl.ExtensionType.PermissionedBurn,
    role: spl.AuthorityType.PermissionedBurn,
    power: "burn authority",
    initialize: (mint, authority) => spl.createInitializePermissionedBurnInstruction(mint, authority, programId),
    authorityOf: (mint) => spl.getPermissionedBurn(mint)?.authority,
  },
}

/**
 * The extensions of a new mint: all that the cluster knows. In agent mode no holder can burn, so PermissionedBurn would
 * add nothing.
 */
export const extensionsForNew = (mode: TransferMode, clusterHas: { permissioned_burn: boolean }): MintExtension[] =>
  mintExtensions.filter((one) => one !== "permissioned_burn" || (mode === "holder" && clusterHas.permissioned_burn))

/** The extensions that a mint has on chain. */
export const extensionsIn = (mint: spl.Mint): MintExtension[] =>
  mintExtensions.filter((name) => extensionDefinitions[name].authorityOf(mint) !== undefined)

/** The extensions that a transaction gives to a mint that it creates. */
export function extensionsAddedBy(message: VersionedMessage, mint: PublicKey): MintExtension[] {
  const keys = message.staticAccountKeys
  // Which extension an instruction adds is in its first two bytes.
  const added = message.compiledInstructions
    .filter(({ programIdIndex, accountKeyIndexes: [first] }) =>
      [keys[programIdIndex]?.equals(programId), first !== undefined && keys[first]?.equals(mint)].every(Boolean),
    )
    .map(({ data }) => Buffer.from(data.subarray(0, 2)))
  return mintExtensions.filter((name) => {
    const { data } = extensionDefinitions[name].initialize(mint, mint)
    return added.some((begin) => begin.equals(data.subarray(0, 2)))
  })
}

/** Whether a mint shows other amounts than it holds, now or at a future time. */
export function isScaled(mint: spl.Mint): boolean {
  const scaled = spl.getScaledUiAmountConfig(mint)
  return scaled !== null && (scaled.multiplier !== MULTIPLIER || scaled.newMultiplier !== MULTIPLIER)
}

/**
 * Whether a node's cluster knows PermissionedBurn: Token-2022 has it from version 11. Simulates adding the extension to
 * an account that is not a mint, so it costs nothing: an older program does not know the instruction. `payer` is any
 * account with SOL. Null if the answer says neither.
 */
export async function knowsPermissionedBurn(connection: Connection, payer: PublicKey): Promise<boolean | null> {
  const message = new TransactionMessage({
    payerKey: payer,
    // The node replaces it.
    recentBlockhash: PublicKey.default.toBase58(),
    instructions: [extensionDefinitions.permissioned_burn.initialize(programId, payer)],
  })
  const transaction = new VersionedTransaction(message.compileToLegacyMessage())
  const options = { sigVerify: false, replaceRecentBlockhash: true, commitment: "confirmed" } as const
  const { value } = await connection.simulateTransaction(transaction, options)
  const failure = value.err === null ? null : readTransactionError(value.err)
  if (failure?.kind !== "instruction") return null
  if (failure.error.custom === TokenError.InvalidInstruction) return false
  return failure.error.name === "IncorrectProgramId" ? true : null
}
