import { PublicKey } from "@solana/web3.js"
import { type Queryable, background as sql } from "#db/client.ts"
import { sleep } from "#server/lib/time.ts"
import { SettingsError } from "#server/settings/env.ts"
import type { Address } from "#shared/address.ts"
import { addressOf } from "../addresses.ts"
import type { Keys, Signer } from "../keys.ts"
import { SignerFailure } from "./definition.ts"

/** How long a web process waits for the first worker, in milliseconds. */
const WAIT_MS = 60_000
const POLL_MS = 500

/** Records VOUCH_SIGNER's public keys for processes without it. Throws SettingsError if another was used first. */
export async function recordKeys(keys: Keys, purposes: readonly string[]): Promise<void> {
  const addresses = purposes.map((purpose) => addressOf(keys(purpose).publicKey))
  // All or none: the wrong one must not record a purpose that the right one has not used yet.
  await sql.begin(async (tx) => {
    await tx`
      insert into derived_keys (purpose, address)
      select * from unnest(${purposes as string[]}::text[], ${addresses}::text[]) on conflict do nothing`
    const recorded = await readRecorded(tx, purposes)
    if (purposes.some((purpose, i) => recorded.get(purpose) !== addresses[i]))
      throw new SettingsError(
        "VOUCH_SIGNER: this database was first used with another one. Set that one, or start with an empty database",
      )
  })
}

/** The recorded public keys, none of which signs. Throws SettingsError after a minute, or `ending`'s reason. */
export async function recordedKeys(purposes: readonly string[], ending?: AbortSignal): Promise<Keys> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    ending?.throwIfAborted()
    const recorded = await readRecorded(sql, purposes)
    if (purposes.every((purpose) => recorded.has(purpose))) return (purpose) => publicOnly(recorded.get(purpose))
    if (performance.now() > deadline)
      throw new SettingsError(
        "VOUCH_SIGNER: this web process has none, and no worker has recorded its public keys yet. Start a process with VOUCH_ROLE=worker, VOUCH_SIGNER and the same fee payers",
      )
    await sleep(POLL_MS)
  }
}

async function readRecorded(sql: Queryable, purposes: readonly string[]): Promise<Map<string, Address>> {
  const rows = await sql<{ purpose: string; address: Address }[]>`
    select purpose, address from derived_keys where purpose = any(${purposes as string[]}::text[])`
  return new Map(rows.map(({ purpose, address }) => [purpose, address]))
}

/** Throws SignerFailure if the key is not recorded. */
function publicOnly(address: Address | undefined): Signer {
  const refuse = () => new SignerFailure("this process has no VOUCH_SIGNER. Do this where a worker runs")
  if (address === undefined) throw refuse()
  return { publicKey: new PublicKey(address), sign: async () => Promise.reject(refuse()) }
}
