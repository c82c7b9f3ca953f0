import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { startLocalnet } from "#localnet"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { fundTestTreasury } from "#server/domain/treasury/fund-test-treasury.ts"
import { startPostgres } from "#server/embedded/postgres.ts"
import { parseSettings } from "#server/settings/env.ts"
import { localKeys } from "#server/solana/keys.ts"
import { TEST_DOLLAR } from "#server/solana/test-dollar.ts"
import { start } from "#server/start/start.ts"
import type { Address } from "#shared/address.ts"
import { allScopes } from "#shared/scopes.ts"
import { toTimestamp } from "#shared/timestamp.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { seedHolders } from "#test/fixtures/holders.ts"
import { newWallet } from "./wallets.ts"

// `node bench/distributions.ts [--payouts 2000] [--transfers 100]` compares a stablecoin distribution with a plain loop over
// `POST /token/transfer` on the same server and local network, one after the other. Results are in bench/README.md.

const { values } = parseArgs({
  options: { payouts: { type: "string", default: "2000" }, transfers: { type: "string", default: "100" } },
})
/** How many times as fast as the loop a distribution must be. */
const LEAST_RATIO = 10
const FUND = "us_real_estate_fund_v1"
const SCHEMA = "kyc_individual_v1"
/** Wallets that test mode approves without a browser. */
const FROM = "VouchTestApproved11111111111111111111111118"
const TO = "VouchTestNotAccredited11111111111111111111Q"

const home = mkdtempSync(join(tmpdir(), "vouch-distributions-"))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startPostgres({ dataDir: home, durable: false, log: quiet })
const random = () => randomBytes(32).toString("base64")
const settings = parseSettings({
  PORT: String(await freePorts(1)),
  VOUCH_SIGNER: random(),
  VOUCH_DATA_KEY: random(),
  VOUCH_WEBHOOK_SECRET: `whsec_${random()}`,
  VOUCH_RATE_LIMIT: "0",
})
const localnet = await startLocalnet({ slotMs: settings.VOUCH_LOCALNET_SLOT_MS })
const server = await start({
  settings,
  databaseUrl: postgres.url,
  localnetUrl: localnet.url,
  pages: async (_request, response) => void response.writeHead(404).end(),
  keysOf: localKeys,
})
try {
  const { workspaces } = await createAccount({ name: "Customer", plan: "enterprise" })
  const workspaceId = workspaces.test
  const { apiKey } = await createKey({ workspaceId, mode: "test", name: "bench", scopes: allScopes })
  const call = async (method: "GET" | "POST", path: string, json?: object) => {
    const response = await fetch(`${server.origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(json && { body: JSON.stringify(json) }),
    })
    const body = (await response.json()) as Record<string, string>
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(body)}`)
    return body
  }
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await sleep(20)
  }
  for (const userPubkey of [FROM, TO]) {
    await call("POST", "/kyc/start", { userPubkey, schemaId: SCHEMA })
    await until(async () => (await call("GET", `/kyc/status/${userPubkey}`)).status === "verified")
  }
  await call("POST", "/token/mint", { user_pubkey: FROM, mint_config: FUND, amount: "1000" })
  const movement = { from_pubkey: FROM, to_pubkey: TO, mint_config: FUND, amount: "1" }
  await call("POST", "/token/transfer", movement)
  const transfers = Number(values.transfers)
  const loop = await secondsOf(async () => {
    for (let n = 0; n < transfers; n++) await call("POST", "/token/transfer", movement)
  })

  const payouts = Number(values.payouts)
  const holders = Array.from({ length: payouts }, newWallet)
  await call("POST", "/mint-configs", {
    ...{ id: "paid_v1", name: "Paid", symbol: "PAID" },
    decimals: 0,
    required_schema: SCHEMA,
  })
  await seedHolders(workspaceId, { config: "paid_v1", like: FROM as Address, holders: holders as Address[] })
  await fundTestTreasury(workspaceId, String(payouts))
  // The holders are in the books as of a minute ago.
  const record_at = toTimestamp(new Date(Date.now() - 30_000))
  const snapshot = { mint_config: "paid_v1", record_at, name: "Record date" }
  const snapshot_id = (await call("POST", "/snapshots", snapshot)).snapshot_id!
  await until(async () => (await call("GET", `/snapshot/${snapshot_id}`)).state === "ready")
  const about = { snapshot_id, settlement: "stablecoin", payment_mint: TEST_DOLLAR, per_unit: "1", reference: "Q3" }
  let id = ""
  const draft = await secondsOf(async () => {
    id = (await call("POST", "/distributions", about)).distribution_id!
  })
  const distribution = await secondsOf(async () => {
    await call("POST", `/distribution/${id}/start`, {})
    await until(async () => (await call("GET", `/distribution/${id}`)).state === "completed")
  })
  const ended = await call("GET", `/distribution/${id}`)
  if (ended.paid !== String(payouts)) throw new Error(`It paid ${ended.paid} of ${payouts}.`)
  const [slow, fast] = [transfers / loop, payouts / distribution]
  console.log(`a loop over POST /token/transfer: ${slow.toFixed(1)} a second (${transfers} in ${loop.toFixed(1)} s)`)
  console.log(
    `a distribution: ${fast.toFixed(0)} a second (${payouts} in ${distribution.toFixed(1)} s), drafted in ${draft.toFixed(1)} s`,
  )
  console.log(`ratio: ${(fast / slow).toFixed(1)}`)
  if (fast / slow < LEAST_RATIO) {
    console.error(`A distribution is less than ${LEAST_RATIO} times as fast.`)
    process.exitCode = 1
  }
} finally {
  await server.stop()
  await localnet.close()
  await postgres.stop()
  rmSync(home, { recursive: true, force: true })
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
