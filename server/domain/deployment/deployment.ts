import { type Flow, type ModeProviders, type Provider, providers } from "#domain/providers"
import type { Settings } from "#server/settings/env.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { authorityPurpose, type Keys, type Signer } from "#server/solana/keys.ts"
import { DERIVED } from "#server/solana/signers/derived.ts"
import type { Signers } from "#server/solana/signers/signers.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"

/** What this process was started with, besides its database. */
export type Deployment = {
  settings: Settings
  /** Origin of every URL that Vouch returns; never taken from a request. */
  origin: string
  /** Whether VOUCH_PUBLIC_URL is set, so that other machines can reach it. */
  isPublic: boolean
  /** Keys derived from VOUCH_SIGNER. Without it, only the deployment's own keys, none of which signs. */
  keys: Keys
  /** Whether this process has VOUCH_SIGNER. */
  hasSigner: boolean
  /** Signs the creation of mints. Every mint's address derives from its public key. */
  mintBase: Signer
  /** Opens keys that are stored elsewhere. */
  signers: Signers
  /** The key that new workspaces of a mode issue with; null if each derives its own key from VOUCH_SIGNER. */
  authorities: Record<Mode, { uri: string; address: Address } | null>
  /** Keys of 32 bytes. The first one seals what must not be readable in the database; all of them open it. */
  dataKeys: readonly Buffer[]
  /** Null if the mode has no usable one. */
  chains: Record<Mode, Chain | null>
  providers: Record<Mode, ModeProviders>
}

export let deployment: Deployment

export function setDeployment(started: Deployment): void {
  deployment = started
}

/** The key that a new workspace issues with. Throws SignerFailure in a process that would need VOUCH_SIGNER for it. */
export const authorityOfNew = (mode: Mode, workspaceId: string): { uri: string; address: Address } =>
  deployment.authorities[mode] ?? {
    uri: DERIVED,
    address: addressOf(deployment.keys(authorityPurpose(workspaceId)).publicKey),
  }

/** The chain of a mode. Errors: chain_not_configured. */
export const chainOf = (mode: Mode): Chain =>
  deployment.chains[mode] ??
  fail("chain_not_configured", `The ${mode} mode has no Solana RPC configured. Set SOLANA_RPC_URL.`)

/** The KYC provider for new sessions of a schema. Errors: provider_not_configured. */
export const providerFor = (mode: Mode, schemaId: string): Provider =>
  deployment.providers[mode].bySchema.get(schemaId) ??
  deployment.providers[mode].default ??
  fail(
    "provider_not_configured",
    `The ${mode} mode has no KYC provider configured. Configure one in the server's settings.`,
  )

/** The KYC provider with which a session began. Errors: provider_not_configured. */
export const providerNamed = (mode: Mode, name: string): Provider =>
  deployment.providers[mode].configured.get(name) ??
  fail(
    "provider_not_configured",
    `The ${mode} mode has no settings for the provider ${name}, with which this session began.`,
  )

/** How a session continues after consent. If its provider has lost its settings, there is no form to send. */
export const flowOf = ({ mode, provider }: { mode: Mode; provider: string }): Flow["kind"] =>
  deployment.providers[mode].configured.get(provider)?.flow.kind ?? "redirect"

/** The vendor's own page about a check; null if the vendor documents none, or has lost its settings. */
export const vendorPage = (mode: Mode, name: string, reference: string | null): string | null =>
  (reference !== null && deployment.providers[mode].configured.get(name)?.pageOf?.(reference)) || null

/** A provider's display name, with settings or without. One that this version does not know is shown by its name. */
export const providerLabel = (mode: Mode, name: string): string =>
  deployment.providers[mode].configured.get(name)?.label ?? providers.find((one) => one.name === name)?.label ?? name
