import { checkDatabase } from "#db/check.ts"
import { connectDatabase } from "#db/client.ts"
import { followDatabaseClock } from "#db/clock.ts"
import { migrate } from "#db/migrate.ts"
import { setDeployment } from "#domain/deployment"
import { chooseProviders, type ProviderDefinition, refuseUnknownSettings } from "#domain/providers"
import { requireChosenSchemas } from "#domain/schemas"
import { sayWhenSlow } from "#server/lib/say-when-slow.ts"
import { originOf, type Settings } from "#server/settings/env.ts"
import { loadSecrets } from "#server/settings/secrets.ts"
import { type Chain, type ChainOptions, openChain } from "#server/solana/chain.ts"
import { type Keys, localKeys, MINT_BASE, payerMarkerPurpose } from "#server/solana/keys.ts"
import { derivedPurposes, openChosen, readChosen } from "#server/solana/signers/choose.ts"
import { recordedKeys, recordKeys } from "#server/solana/signers/recorded.ts"
import { Signers } from "#server/solana/signers/signers.ts"
import type { Mode } from "#shared/mode.ts"

export type PrepareOptions = {
  settings: Settings
  databaseUrl: string
  /** JSON-RPC of the embedded local network, if it runs. */
  localnetUrl: string | null
  /** The keys to sign with: derived from the secret, unless given. */
  keysOf?: (secret: Uint8Array) => Keys
  /** The KYC providers to choose from; tests add test doubles of vendors. */
  providers?: readonly ProviderDefinition[]
  /** Aborts whatever the start waits for. */
  ending?: AbortSignal
  /** Multiplies how long the database is waited for. Tests raise it for loaded machines. */
  slowness?: number
}

/** The time of a cluster's slot, in milliseconds. */
const CLUSTER_SLOT_MS = 400

/**
 * Prepares what the server and the command line need from the settings, and connects the database. A command is
 * `patient`: it waits for the database. Its links lead to the `origin` of the running server.
 */
export async function prepare({
  settings,
  databaseUrl,
  localnetUrl,
  keysOf = localKeys,
  providers: table,
  ending,
  slowness = 1,
  patient = false,
  origin = originOf(settings),
}: PrepareOptions & { patient?: boolean; origin?: string | undefined }): Promise<void> {
  refuseUnknownSettings(settings, table)
  const secrets = loadSecrets(settings)
  readChosen(settings)
  const providers = chooseProviders(settings, secrets.generated, table)
  const addresses = {
    url: databaseUrl,
    directUrl: settings.DATABASE_DIRECT_URL,
    isConfigured: settings.DATABASE_URL !== undefined,
  }
  await sayWhenSlow("the database", checkDatabase(addresses))
  connectDatabase(databaseUrl, {
    max: settings.VOUCH_DATABASE_POOL,
    pooled: settings.DATABASE_DIRECT_URL !== undefined,
    patient,
    slowness,
  })
  await sayWhenSlow("the database and its migrations", migrate(settings.DATABASE_DIRECT_URL ?? databaseUrl))
  await followDatabaseClock(databaseUrl)
  await requireChosenSchemas(providers)
  const keys = await openKeys(settings, secrets.signer && keysOf(secrets.signer), ending)
  const signers = new Signers(keys)
  const chosen = await openChosen(settings, signers)
  const isPublic = settings.VOUCH_PUBLIC_URL !== undefined
  setDeployment({
    settings,
    origin,
    isPublic,
    keys,
    hasSigner: secrets.signer !== null,
    mintBase: keys(MINT_BASE),
    signers,
    authorities: forEachMode((mode) => chosen[mode].authority),
    dataKeys: secrets.dataKeys,
    chains: forEachMode((mode) => {
      const { feePayer } = chosen[mode]
      const payerMarker = keys(payerMarkerPurpose(mode)).publicKey
      return chainFor(mode, settings, { signers, feePayer, payerMarker, localnetUrl })
    }),
    providers,
  })
}

/** The keys of VOUCH_SIGNER, whose public keys are recorded for processes without it; or the recorded ones. */
async function openKeys(settings: Settings, keys: Keys | null, ending: AbortSignal | undefined): Promise<Keys> {
  const purposes = derivedPurposes(settings)
  if (keys === null) return sayWhenSlow("a worker to record its public keys", recordedKeys(purposes, ending))
  await recordKeys(keys, purposes)
  return keys
}

const forEachMode = <T>(value: (mode: Mode) => T): Record<Mode, T> => ({ live: value("live"), test: value("test") })

/** A mode's chain: the configured one or the local network, but never that for live mode of a public deployment. */
function chainFor(
  mode: Mode,
  settings: Settings,
  { localnetUrl, ...own }: Pick<ChainOptions, "signers" | "feePayer" | "payerMarker"> & { localnetUrl: string | null },
): Chain | null {
  const { VOUCH_RPC_CALLS_PER_SECOND: perSecond } = settings
  const [ownUrls, ownSend] =
    mode === "live"
      ? [settings.VOUCH_LIVE_SOLANA_RPC_URL, settings.VOUCH_LIVE_SOLANA_SEND_URL]
      : [settings.VOUCH_TEST_SOLANA_RPC_URL, settings.VOUCH_TEST_SOLANA_SEND_URL]
  const urls = ownUrls ?? settings.SOLANA_RPC_URL
  if (urls) {
    const sendUrls = ownSend ?? settings.SOLANA_SEND_URL ?? []
    const callsPerSecond = perSecond > 0 ? perSecond : Number.POSITIVE_INFINITY
    return openChain({ mode, urls, sendUrls, callsPerSecond, ...own, embedded: false, slotMs: CLUSTER_SLOT_MS })
  }
  if (localnetUrl === null || (mode === "live" && settings.VOUCH_PUBLIC_URL)) return null
  return openChain({ mode, urls: [localnetUrl], ...own, embedded: true, slotMs: settings.VOUCH_LOCALNET_SLOT_MS })
}
