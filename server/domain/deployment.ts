import type { ModeProviders } from "#server/domain/providers/choose.ts"
import type { Flow, Provider } from "#server/domain/providers/provider.ts"
import type { Settings } from "#server/settings/env.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { authorityPurpose, type Keys, type Signer } from "#server/solana/keys.ts"
import { DERIVED } from "#server/solana/signers/derived.ts"
import type { Signers } from "#server/solana/signers/signers.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { providers } from "./providers/table.ts"

/** What this process was started with, beyond its database. */
export type Deployment = {
  settings: Settings
  /** Origin of every URL that Vouch returns; never taken from a request. */
  origin: string
  /** Whether VOUCH_PUBLIC_URL is set: others than this machine reach it. */
  isPublic: boolean
  /** Keys that derive from VOUCH_SIGNER; without it only those of the deployment itself, of which none signs. */
  keys: Keys
  /** Whether this process has VOUCH_SIGNER. */
  hasSigner: boolean
  /** Signs the creation of mints; every mint's address derives from its public key. */
  mintBase: Signer
  /** Opens keys that are elsewhere. */
  signers: Signers
  /** What new workspaces of a mode issue with; null if each derives its own key from VOUCH_SIGNER. */
  authorities: Record<Mode, { uri: string; address: Address } | null>
  /** Keys of 32 bytes: the first one seals what may not be read in the database, and all of them open it. */
  dataKeys: readonly Buffer[]
  /** Null where the mode has none that may be used. */
  chains: Record<Mode, Chain | null>
  providers: Record<Mode, ModeProviders>
}

export let deployment: Deployment

export function setDeployment(started: Deployment): void {
  deployment = started
}

/** What a new workspace issues with. Throws SignerFailure in a process that would need VOUCH_SIGNER for it. */
export const authorityOfNew = (mode: Mode, workspaceId: string): { uri: string; address: Address } =>
  deployment.authorities[mode] ?? {
    uri: DERIVED,
    address: addressOf(deployment.keys(authorityPurpose(workspaceId)).publicKey),
  }

/** The chain of a mode. Errors: chain_not_configured. */
export const chainOf = (mode: Mode): Chain =>
  deployment.chains[mode] ??
  fail("chain_not_configured", `The ${mode} mode has no Solana RPC configured. Set SOLANA_RPC_URL.`)

/** The KYC provider that new sessions of a schema begin with. Errors: provider_not_configured. */
export const providerFor = (mode: Mode, schemaId: string): Provider =>
  deployment.providers[mode].bySchema.get(schemaId) ??
  deployment.providers[mode].default ??
  fail(
    "provider_not_configured",
    `The ${mode} mode has no KYC provider configured. Configure one in the server's settings.`,
  )

/** The KYC provider that a session began with. Errors: provider_not_configured. */
export const providerNamed = (mode: Mode, name: string): Provider =>
  deployment.providers[mode].configured.get(name) ??
  fail(
    "provider_not_configured",
    `The ${mode} mode has no settings for the provider ${name}, which this session began with.`,
  )

/** How a session goes on after the consent. One whose provider has lost its settings has no form that could be sent. */
export const flowOf = ({ mode, provider }: { mode: Mode; provider: string }): Flow["kind"] =>
  deployment.providers[mode].configured.get(provider)?.flow.kind ?? "redirect"

/**
 * What people know a provider by. One whose settings are gone keeps its label; what is in no table, as that of an older
 * version, has its name alone.
 */
export const providerLabel = (mode: Mode, name: string): string =>
  deployment.providers[mode].configured.get(name)?.label ?? providers.find((one) => one.name === name)?.label ?? name
