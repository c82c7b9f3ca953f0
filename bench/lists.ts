import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { connectDatabase, disconnectDatabase, open } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { searchEvents } from "#server/dashboard/events.ts"
import { find } from "#server/dashboard/find.ts"
import { searchInvestors } from "#server/dashboard/investors/search.ts"
import { listRequests } from "#server/dashboard/requests.ts"
import { listSessions } from "#server/dashboard/sessions.ts"
import { searchApprovals } from "#server/domain/approvals/read.ts"
import { countAttestations, countInvestors } from "#server/domain/attestations/count.ts"
import { searchAttestations } from "#server/domain/attestations/search.ts"
import { listAuditEntries } from "#server/domain/audit-log/read.ts"
import { type Deployment, setDeployment } from "#server/domain/deployment/deployment.ts"
import { listPayouts } from "#server/domain/distributions/read.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import type { Principal } from "#server/domain/requests/context.ts"
import { listReviews } from "#server/domain/reviews/read.ts"
import { firstConfig } from "#server/domain/tokens/config.ts"
import { listHolders } from "#server/domain/tokens/holders.ts"
import { listHolds } from "#server/domain/tokens/holds/hold.ts"
import { listOperations } from "#server/domain/tokens/operation.ts"
import { countRegister } from "#server/domain/tokens/postings/count-register.ts"
import { viewRegister } from "#server/domain/tokens/postings/register-view.ts"
import { listDeliveries } from "#server/domain/webhooks/deliveries.ts"
import { startPostgres } from "#server/embedded/postgres.ts"
import { parseSettings } from "#server/settings/env.ts"
import { localKeys, MINT_BASE } from "#server/solana/keys.ts"
import { Failure } from "#shared/errors.ts"
import { allReviewPriorities } from "#shared/reviews.ts"
import { permissionsOf } from "#shared/roles.ts"
import { type Filled, fillLists } from "./list-rows.ts"
import { table } from "./table.ts"
import { randomText } from "./wallets.ts"

// `node bench/lists.ts [--rows 100000] [--only holders]` measures the first page of each list of the dashboard, without a search and with
// several, in a workspace where every list has so many rows. Results are in bench/README.md.

const { values } = parseArgs({ options: { rows: { type: "string", default: "100000" }, only: { type: "string" } } })
const WARMUP = 3
const TIMES = 20
/** The most milliseconds that 19 of 20 answers may take. */
const MOST_MS = 300

/** A chain whose last slot was a minute ago. */
const rpc = {
  views: [{ blockTime: async () => Math.floor(Date.now() / 1000) - 60 }],
  finalizedHeight: async () => ({ slot: 1000, height: 1000 }),
}
const home = mkdtempSync(join(tmpdir(), "vouch-lists-"))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startPostgres({ dataDir: home, durable: false, log: quiet })
const admin = open(postgres.url, 1)
try {
  await migrate(postgres.url)
  connectDatabase(postgres.url, { max: 4 })
  const settings = parseSettings({ VOUCH_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString("base64")}` })
  const keys = localKeys(randomBytes(32))
  setDeployment({
    ...{ settings, keys, mintBase: keys(MINT_BASE), origin: "http://localhost:3000" },
    dataKeys: [randomBytes(32)],
    authorities: { live: null, test: null },
    chains: { live: { rpc }, test: null },
    providers: chooseProviders(settings, {}),
  } as unknown as Deployment)
  process.stderr.write(`Filling each list with ${values.rows} rows\n`)
  const filled = await fillLists(admin, Number(values.rows))
  const slowest = await measureLists(filled)
  if (slowest > MOST_MS) {
    console.error(`The slowest list takes more than ${MOST_MS} ms.`)
    process.exitCode = 1
  }
} finally {
  await admin.end()
  await disconnectDatabase()
  await postgres.stop()
  rmSync(home, { recursive: true })
}

type Answer = Promise<{ data: readonly unknown[] }>

/** What people type. The last one names everyone. */
function searches({ externalIds, wallets }: Filled): Record<string, () => string | undefined> {
  const any = (all: readonly string[]) => all[Math.floor(Math.random() * all.length)]!
  return {
    "": () => undefined,
    "an external id, its words turned": () => any(externalIds).split("-").reverse().join(" "),
    "one word, which 1 in 16 has": () => any(externalIds).split("-")[1],
    "two letters": () => any(externalIds).slice(0, 2),
    "part of a wallet": () => any(wallets).slice(0, 8),
    "a text that no one has": () => randomText(9),
    "two letters that no one has": () => "zq",
  }
}

/** The slowest list's time, of 19 of 20 answers. */
async function measureLists(filled: Filled): Promise<number> {
  const { workspaceId, distribution, endpoint } = filled
  const via = { kind: "operator" } as const
  const principal: Principal = { workspaceId, mode: "live", scopes: permissionsOf("owner"), via }
  const page = { limit: 50, cursor: null }
  const ofToken = { mintConfig: firstConfig.id, limit: 20, cursor: null }
  /** Lists with a search. */
  const searched: Record<string, (q: string | undefined) => Answer> = {
    investors: (q) => searchInvestors(principal, { q }),
    attestations: (q) => searchAttestations(principal, { q }),
    "open sessions": (q) => listSessions(principal, { state: "open", q }),
    "closed sessions": (q) => listSessions(principal, { state: "closed", q }),
    "waiting reviews": (q) => listReviews(principal, { state: "waiting", q }),
    "closed reviews": (q) => listReviews(principal, { state: "closed", q }),
    approvals: (q) => searchApprovals(principal, { ...page, state: null, action: null, requestedBy: null, q }),
    holders: (q) => listHolders(principal, { ...ofToken, q }),
    "register by investor": (q) => register(principal, "investor", q),
    "register by wallet": (q) => register(principal, "wallet", q),
    operations: (q) =>
      listOperations(principal, { ...ofToken, after: null, before: null, kind: null, wallet: null, status: null, q }),
    holds: (q) => listHolds(principal, { ...ofToken, wallet: null, state: null, q }),
    payouts: (q) => listPayouts(principal, { distributionId: distribution, status: null, limit: 20, cursor: null, q }),
    "⌘K": async (q) => ({ data: q === undefined ? [] : await find(principal, q) }),
    "the counts of attestations": async (q) => ({ data: [await countAttestations(principal, { q })] }),
    "the counts of investors": async (q) => ({ data: [await countInvestors(principal, { q })] }),
    events: (q) => orRefused(searchEvents(principal, { limit: 50, ...(q !== undefined && { about: q }) })),
    audit: (q) => orRefused(listAuditEntries(workspaceId, { limit: 50, ...(q !== undefined && { subject: q }) })),
  }
  const others: Record<string, () => Answer> = {
    logs: () => listRequests(principal, { limit: 50 }),
    "logs by a path that nothing has": () => listRequests(principal, { limit: 50, path: "/none" }),
    // Few are urgent, one in ten is of high priority, and the others are normal.
    ...Object.fromEntries(
      allReviewPriorities.map((priority) => [
        `waiting reviews, ${priority}`,
        () => listReviews(principal, { state: "waiting", priority }),
      ]),
    ),
    deliveries: () => listDeliveries(workspaceId, endpoint, { limit: 50 }),
  }
  /** Figures for which a page does not wait. They may take longer than a list. */
  const late: Record<string, () => Answer> = {
    "the counts of the register by investor": () => registerCounts(principal, "investor"),
    "the counts of the register by wallet": () => registerCounts(principal, "wallet"),
  }
  const rows: string[][] = []
  let slowest = 0
  const measure = async (list: string, search: string, ask: () => Answer) => {
    const [half, most, found] = await timesOf(ask)
    rows.push([list, search, String(found), half.toFixed(1), most.toFixed(1)])
    return most
  }
  const isWanted = ([list]: [string, unknown]) => values.only === undefined || list.includes(values.only)
  for (const [list, ask] of Object.entries(searched).filter(isWanted))
    for (const [search, q] of Object.entries(searches(filled)))
      slowest = Math.max(slowest, await measure(search === "" ? list : "", search, () => ask(q())))
  for (const [list, ask] of Object.entries(others).filter(isWanted))
    slowest = Math.max(slowest, await measure(list, "", ask))
  for (const [list, ask] of Object.entries(late).filter(isWanted)) await measure(list, "", ask)
  console.log(table(["list", "search", "rows", "p50, ms", "p95, ms"], rows))
  return slowest
}

/** No rows if the search is refused because too many people match. */
async function orRefused(answer: Answer): Answer {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Failure && error.code === "validation_failed") return { data: [] }
    throw error
  }
}

function register(principal: Principal, group: "investor" | "wallet", q: string | undefined): Answer {
  const mintConfig = firstConfig.id
  return viewRegister(principal, { mintConfig, at: null, group, investor: null, q, limit: 20, cursor: null })
}

async function registerCounts(principal: Principal, group: "investor" | "wallet"): Answer {
  return { data: [await countRegister(principal, { mintConfig: firstConfig.id, at: null, group })] }
}

async function timesOf(ask: () => Answer): Promise<[half: number, most: number, rows: number]> {
  for (let n = 0; n < WARMUP; n++) await ask()
  const times: number[] = []
  const rows: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now()
    rows.push((await ask()).data.length)
    times.push(performance.now() - began)
  }
  const at = (all: number[], part: number) => all.sort((a, b) => a - b)[Math.ceil(part * all.length) - 1]!
  return [at(times, 0.5), at(times, 0.95), at(rows, 0.5)]
}
