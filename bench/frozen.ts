import { randomUUID } from "node:crypto"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Connection, PublicKey } from "@solana/web3.js"
import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { allScopes } from "#shared/scopes.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { startDidit } from "#test/vendor/didit.ts"
import type { OurSession } from "#test/vendor/fixture.ts"
import { createStage, type Server } from "./stage.ts"
import { newWallet } from "./wallets.ts"

// `node bench/frozen.ts [--count 300]` measures the time from a finding about a holder to the frozen account on chain,
// for a wallet added to a list, for a vendor's signal, and for a freeze request and the report of a lost wallet while the
// same workspace mints. `--only lost` measures one of them,
// and `--mints 100` mints less on a slow machine. Results are in bench/README.md.

const CONFIG = "frozen_fund"
/** How often to read the chain. */
const POLL_MS = 10
const PATIENCE_MS = 30_000
/** Delay before each change of the list, so that changes fall at random between two checks of the server. */
const PHASE_MS = 1000
/** Holders added to the list by one change. */
const LISTED_AT_ONCE = 10
/** How often mints are sent during the requests, in milliseconds. */
const MINTS_EVERY_MS = 10
/** The token that they mint. In agent mode, mints to one wallet run in parallel. */
const BUSY = "busy_fund"
/** Holders created at the same time. */
const AT_ONCE = 8

type Holder = { wallet: string; investorId: string; account: PublicKey }

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    only: { type: "string" },
    mints: { type: "string", default: "300" },
  },
})
const count = Number(values.count)
/** Mints a second during the requests. */
const mintsPerSecond = Number(values.mints)
/** What is measured, by the word that `--only` takes. */
const kinds = {
  signal: "a vendor's signal",
  list: "a list's change",
  freeze: "a freeze request",
  lost: "a report of a lost wallet",
} as const
const isMeasured = (kind: keyof typeof kinds) => values.only === undefined || values.only === kind
if (values.only !== undefined && !Object.hasOwn(kinds, values.only))
  throw new Error(`--only takes ${Object.keys(kinds).join(", ")}.`)
const began = performance.now()
const say = (line: string) =>
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}\n`)

const folder = mkdtempSync(join(tmpdir(), "vouch-frozen-"))
const list = join(folder, "list.txt")
const listed = [newWallet()]
const vendor = await startDidit()
const { open, stop } = createStage({
  attestations: 100,
  durable: false,
  slowSigner: false,
  validator: null,
  say,
})
try {
  writeList()
  const stage = await open()
  const vouch = await stage.vouch({
    rateLimit: 0,
    settings: { ...vendor.settings, VOUCH_TEST_PROVIDER: "didit", VOUCH_SANCTIONS_LIST: list },
  })
  connectDatabase(stage.databaseUrl, { max: 4 })
  const chain = new Connection(stage.chainUrl(), "confirmed")
  // A test workspace can verify 500 people a month, so each kind has its own.
  const makeHolders = async (kind: keyof typeof kinds): Promise<{ issuer: Issuer; holders: Holder[] }> => {
    say(`Making ${count} holders for ${kinds[kind]}`)
    const issuer = await openIssuer(vouch, kind)
    const holders: Holder[] = []
    while (holders.length < count) {
      const some = Math.min(AT_ONCE, count - holders.length)
      holders.push(...(await Promise.all(Array.from({ length: some }, () => makeHolder(vouch, issuer)))))
    }
    return { issuer, holders }
  }
  const frozen = async ({ account }: Holder) =>
    unpackAccount(account, await chain.getAccountInfo(account), TOKEN_2022_PROGRAM_ID).isFrozen
  const time = async (holder: Holder, find?: () => Promise<unknown>) => {
    const start = performance.now()
    await find?.()
    while (!(await frozen(holder))) {
      if (performance.now() - start > PATIENCE_MS) throw new Error("A holder was not frozen in time.")
      await sleep(POLL_MS)
    }
    return performance.now() - start
  }
  const results: Record<string, number[]> = {}
  if (isMeasured("signal")) {
    const { holders } = await makeHolders("signal")
    const times: number[] = []
    for (const holder of holders)
      times.push(await time(holder, () => report(vouch, vendor.userEvent(holder.investorId, "BLOCKED"))))
    results[kinds.signal] = times
  }
  if (isMeasured("list")) {
    const { holders } = await makeHolders("list")
    const times: number[] = []
    for (let n = 0; n < count; n += LISTED_AT_ONCE) {
      const found = holders.slice(n, n + LISTED_AT_ONCE)
      await sleep(Math.random() * PHASE_MS)
      listed.push(...found.map(({ wallet }) => wallet))
      writeList()
      times.push(...(await Promise.all(found.map((holder) => time(holder)))))
    }
    results[kinds.list] = times
  }
  /** Measures requests while their workspace mints. */
  const measureRequests = async (kind: "freeze" | "lost", send: (post: Post, holder: Holder) => Promise<unknown>) => {
    if (!isMeasured(kind)) return
    const { issuer, holders } = await makeHolders(kind)
    await createToken(issuer.post, BUSY, "agent")
    const receiver = await makeHolder(vouch, issuer)
    const stopMinting = mintMeanwhile(issuer.post, receiver.wallet)
    const times: number[] = []
    for (const holder of holders) times.push(await time(holder, () => send(issuer.post, holder)))
    results[kinds[kind]] = times
    console.log(`In the meantime, ${Math.round(await stopMinting())} mints a second were accepted`)
  }
  await measureRequests("freeze", (post, { wallet: user_pubkey }) =>
    post("/token/freeze", { user_pubkey, mint_config: CONFIG, reason_code: "court_order", reference: "bench" }),
  )
  await measureRequests("lost", (post, { wallet: lost_wallet, investorId }) =>
    post(`/investor/${investorId}/recoveries`, { lost_wallet, reason_code: "lost_wallet", reference: "bench" }),
  )
  for (const [name, times] of Object.entries(results)) {
    const sorted = times.sort((a, b) => a - b)
    const at = (q: number) => `${Math.round(sorted[Math.floor(q * (sorted.length - 1))]!)} ms`
    console.log(`From ${name} to frozen on chain, ${count} times: p50 ${at(0.5)}, p99 ${at(0.99)}, worst ${at(1)}`)
  }
} finally {
  await disconnectDatabase().catch(() => {})
  await stop()
  await vendor.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

/** Like an operator: writes a new file and moves it into place. */
function writeList(): void {
  writeFileSync(`${list}.new`, `${listed.join("\n")}\n`)
  renameSync(`${list}.new`, list)
}

type Issuer = { post: Post; mint: PublicKey }

/** A company with a token in holder mode. */
async function openIssuer(vouch: Server, name: string): Promise<Issuer> {
  const { workspaces } = await createAccount({ name, plan: "enterprise" })
  const workspaceId = workspaces.test
  await sql`update workspaces set policies = '{"wallet_listed":"freeze"}' where id = ${workspaceId}`
  const { apiKey } = await createKey({ workspaceId, mode: "test", name: "bench", scopes: allScopes })
  const post = postTo(vouch, apiKey)
  await createToken(post, CONFIG, "holder")
  const [config] = await sql<{ mint: Address }[]>`
    select mint from mint_configs where workspace_id = ${workspaceId} and id = ${CONFIG}`
  return { post, mint: new PublicKey(config!.mint) }
}

async function createToken(post: Post, id: string, transfer_mode: TransferMode): Promise<void> {
  const fixed = { name: "Frozen Fund", symbol: "FRZN", decimals: 0, required_schema: "kyc_individual_v1", rules: {} }
  await post("/mint-configs", { id, transfer_mode, ...fixed })
}

/** Requests mints at a steady rate, without waiting for the chain. Stopping returns how many were accepted a second. */
function mintMeanwhile(post: Post, user_pubkey: string): () => Promise<number> {
  const start = performance.now()
  const mints: Promise<unknown>[] = []
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / 1000) * mintsPerSecond
    while (mints.length < due)
      mints.push(post("/token/mint", { user_pubkey, mint_config: BUSY, amount: 1 }, { prefer: "respond-async" }))
  }, MINTS_EVERY_MS)
  return async () => {
    clearInterval(timer)
    const seconds = (performance.now() - start) / 1000
    await Promise.all(mints)
    return mints.length / seconds
  }
}

type Post = (path: string, body: object, headers?: Record<string, string>) => Promise<Record<string, string>>

function postTo({ port }: Server, apiKey: string): Post {
  return async (path, body, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as Record<string, string>
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
}

async function report({ port }: Server, body: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/kyc/webhook/didit`, {
    method: "POST",
    headers: vendor.sign(body),
    body,
  })
  const answer = (await response.json()) as { outcome?: string }
  if (answer.outcome !== "applied") throw new Error(`A webhook got the response ${JSON.stringify(answer)}`)
}

/** A person whom the vendor has verified and who holds tokens. */
async function makeHolder(vouch: Server, { post, mint }: Issuer): Promise<Holder> {
  const wallet = newWallet()
  const { session_id } = await post("/kyc/start", { userPubkey: wallet, schemaId: "kyc_individual_v1" })
  const gone = await fetch(`http://127.0.0.1:${vouch.port}/api/trpc/verification.continue`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId: session_id, consent: true }),
  })
  if (!gone.ok) throw new Error(`continue answered ${gone.status}`)
  const read = async () => {
    const [row] = await sql<(OurSession & { status: string })[]>`
      select session_id as "sessionId", id as "attestationId", investor_id as "investorId", schema_id as "schemaId",
        wallet, provider_reference as reference, status from attestations where session_id = ${session_id!}`
    return row!
  }
  const session = await read()
  // Some seconds ago, so that later reports have a later time.
  await report(vouch, vendor.decide(session, "approved", new Date(Date.now() - 5000)))
  while ((await read()).status !== "verified") await sleep(POLL_MS)
  await post("/token/mint", { user_pubkey: wallet, mint_config: CONFIG, amount: 10 })
  return { wallet, investorId: session.investorId, account: tokenAccountOf(mint, new PublicKey(wallet)) }
}
