import { background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { type Settings, SettingsError } from "#server/settings/env.ts"
import type { Address } from "#shared/address.ts"
import { type Mode, modes } from "#shared/mode.ts"
import { addressOf } from "../addresses.ts"
import { feePayerPurpose, MINT_BASE, payerMarkerPurpose, type Signer } from "../keys.ts"
import { SignerFailure, WrongSigner } from "./definition.ts"
import { DERIVED, derivedPurpose } from "./derived.ts"
import type { Signers } from "./signers.ts"
import { readSigner } from "./table.ts"

const variables = {
  live: { feePayer: "VOUCH_LIVE_FEE_PAYER", authority: "VOUCH_LIVE_AUTHORITY" },
  test: { feePayer: "VOUCH_TEST_FEE_PAYER", authority: "VOUCH_TEST_AUTHORITY" },
} as const
type Variable = (typeof variables)[Mode]["feePayer" | "authority"]

/** Where keys are unless the settings say otherwise. */
const DEFAULT = DERIVED

/** Parses every signer in the settings before any is opened. Throws SettingsError. */
export function readChosen(settings: Settings): void {
  const problems = modes.flatMap((mode) =>
    Object.values(variables[mode]).flatMap((name) => {
      try {
        const uri = settings[name] ?? DEFAULT
        readSigner(uri)
        const isNamed = uri.startsWith("derived:") && uri !== DEFAULT
        if (isNamed && name === variables[mode].authority)
          return [`${name}: each workspace derives its own key; set another one by "vouch signer set"`]
        return []
      } catch (error) {
        if (error instanceof WrongSigner) return [`${name}: ${error.message}`]
        throw error
      }
    }),
  )
  if (problems.length > 0) throw new SettingsError(problems)
}

/** Purposes of this deployment's keys that derive from VOUCH_SIGNER, except for the keys of workspaces. */
export const derivedPurposes = (settings: Settings): string[] => [
  MINT_BASE,
  ...modes.map(payerMarkerPurpose),
  ...modes.flatMap(
    (mode) => derivedPurpose(settings[variables[mode].feePayer] ?? DEFAULT, feePayerPurpose(mode)) ?? [],
  ),
]

/** The signers of a mode. */
export type Chosen = {
  feePayer: Signer
  /** For new workspaces; null if each derives its own key. */
  authority: { uri: string; address: Address } | null
}

/** Opens the signers in the settings and records the fee payers. Throws SettingsError. */
export async function openChosen(settings: Settings, signers: Signers): Promise<Record<Mode, Chosen>> {
  const [live, test] = await Promise.all(modes.map((mode) => openFor(mode, settings, signers)))
  return { live: live!, test: test! }
}

async function openFor(mode: Mode, settings: Settings, signers: Signers): Promise<Chosen> {
  const { feePayer: payerVariable, authority: authorityVariable } = variables[mode]
  const uri = settings[payerVariable] ?? DEFAULT
  const authorityUri = settings[authorityVariable] ?? DEFAULT
  const feePayer = await opening(payerVariable, signers.open(uri, feePayerPurpose(mode)))
  await sql`
    insert into fee_payers (mode, address, uri, created_at)
    values (${mode}, ${addressOf(feePayer.publicKey)}, ${uri}, ${clock.now()}) on conflict do nothing`
  // Each workspace has its own.
  if (authorityUri === DEFAULT) return { feePayer, authority: null }
  const { publicKey } = await opening(authorityVariable, signers.open(authorityUri, ""))
  return { feePayer, authority: { uri: authorityUri, address: addressOf(publicKey) } }
}

async function opening(variable: Variable, signer: Promise<Signer>): Promise<Signer> {
  try {
    return await signer
  } catch (error) {
    if (error instanceof SignerFailure) throw new SettingsError(`${variable}: ${error.message}`)
    throw error
  }
}
