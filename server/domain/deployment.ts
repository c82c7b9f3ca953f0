import type { Settings } from "#server/settings/env.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Keys } from "#server/solana/keys.ts"
import type { Signers } from "#server/solana/signers/signers.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { ModeProviders } from "./kyc/providers/choose.ts"
import type { Flow, Provider } from "./kyc/providers/provider.ts"

/** What this process was started with, beyond its database. */
export type Deployment = {
  settings: Settings
  /** Origin of every URL that Vouch returns; never taken from a request. */
  origin: string
  /** Whether VOUCH_PUBLIC_URL is set: others than this machine reach it. */
  isPublic: boolean
  /** Fee payers, authorities and keys of mints. */
  keys: Keys
  /** Opens keys that are elsewhere. */
  signers: Signers
  /** What new workspaces of a mode issue with; null is a key that derives for each. */
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

/** What a new workspace issues with; null is a key that derives. What only fills a database, as a benchmark does, has no other. */
export const authorityOfNew = (mode: Mode): Deployment["authorities"][Mode] =>
  (deployment as Deployment | undefined)?.authorities[mode] ?? null

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
