import { randomBytes } from "node:crypto"
import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import type { ApiFilter } from "#domain/attestations"
import { listSessions } from "#server/dashboard/sessions.ts"
import { type SearchFilter, searchAttestations } from "#server/domain/attestations/search.ts"
import { type Deployment, setDeployment } from "#server/domain/deployment/deployment.ts"
import { listSessions as listSessionRecords } from "#server/domain/kyc/sessions.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import type { Principal } from "#server/domain/requests/context.ts"
import { builtInSchemas } from "#server/domain/schemas/built-in.ts"
import { parseSettings } from "#server/settings/env.ts"
import { localKeys } from "#server/solana/keys.ts"
import { permissionsOf } from "#shared/roles.ts"
import { attestationStatuses, sessionStates } from "#shared/statuses.ts"
import { insertAttestations, walletsFor } from "./seed.ts"
import { newWallet, randomText } from "./wallets.ts"

const BATCH = 5000
const REQUESTS = 200
const WARMUP = 10
/** The attestations were started at equal intervals over this time. */
const DAYS = 300

export type FilterTimes = { name: string; p50_ms: number; p99_ms: number; rows: number }

const any = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!
const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const someDay = () => daysAgo(Math.random() * DAYS)
const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString()
const schema = () => any(builtInSchemas).id

/**
 * Times of one page of the dashboard's attestations and sessions, and of GET /kyc/sessions, with each filter, in a
 * workspace with all attestations.
 */
export async function measureFilters({
  databaseUrl,
  attestations,
  say,
}: {
  databaseUrl: string
  attestations: number
  say: (line: string) => void
}): Promise<FilterTimes[]> {
  connectDatabase(databaseUrl, { max: 4 })
  const settings = parseSettings({ VOUCH_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString("base64")}` })
  setDeployment({
    settings,
    origin: "http://localhost:3000",
    keys: localKeys(randomBytes(32)),
    authorities: { live: null, test: null },
    providers: chooseProviders(settings, {}),
  } as Deployment)
  try {
    say(`Filling one workspace with ${attestations.toLocaleString("en")} attestations`)
    const { workspaceId, wallets } = await fill(attestations)
    const principal: Principal = {
      workspaceId,
      mode: "live",
      scopes: permissionsOf("viewer"),
      via: { kind: "operator" },
    }
    const ids = (
      await sql<{ id: string }[]>`select id from attestations where workspace_id = ${workspaceId} limit 1000`
    ).map((row) => row.id)
    const middle = await cursorAt(principal, Math.floor(attestations / 2))
    const filters: Record<string, () => SearchFilter & { cursor?: string }> = {
      nothing: () => ({}),
      "nothing, from the middle on": () => ({ cursor: middle }),
      schema: () => ({ schema: schema() }),
      "status pending": () => ({ status: "pending" }),
      "status verified": () => ({ status: "verified" }),
      "status rejected": () => ({ status: "rejected" }),
      "status revoked": () => ({ status: "revoked" }),
      "status expired": () => ({ status: "expired" }),
      "schema and status": () => ({ schema: schema(), status: any(["pending", "rejected", "expired"]) }),
      "from a day": () => ({ from: someDay() }),
      "up to a day": () => ({ to: someDay() }),
      "one day": () => {
        const day = someDay()
        return { from: day, to: dayAfter(day) }
      },
      "one day and status": () => {
        const day = someDay()
        return { from: day, to: dayAfter(day), status: "rejected" }
      },
      "a day before all": () => ({ to: daysAgo(DAYS + 30) }),
      wallet: () => ({ q: any(wallets) }),
      "an unknown wallet": () => ({ q: newWallet() }),
      "attestation id": () => ({ q: any(ids) }),
      "external id": () => ({ q: `investor-${1000 + Math.floor(Math.random() * 4000)}` }),
      "prefix of external ids": () => ({ q: any(["investor-", "investor-1", "inv"]) }),
      "prefix of external ids, schema and a rare status": () => ({
        q: "investor-1",
        status: "expired",
        schema: schema(),
      }),
      "words that nothing has": () => ({ q: randomText(8) }),
      "all of them": () => ({
        schema: schema(),
        status: "verified",
        from: daysAgo(DAYS),
        to: someDay(),
        q: "investor-",
      }),
    }
    say("Measuring the table's filters")
    const times: FilterTimes[] = []
    for (const [name, filter] of Object.entries(filters)) {
      times.push(await time(name, async () => (await searchAttestations(principal, filter())).data.length))
    }
    for (const state of ["open", "closed"] as const) {
      times.push(await time(`sessions, ${state}`, async () => (await listSessions(principal, { state })).data.length))
    }
    for (const [name, filter] of Object.entries(ofSessions())) {
      times.push(
        await time(`GET /kyc/sessions, ${name}`, async () => {
          const { data } = await listSessionRecords(principal, { ...filter(), limit: 50 })
          return data.length
        }),
      )
    }
    return times
  } finally {
    await disconnectDatabase()
  }
}

/** The API's filters, one by one, and two together. */
const ofSessions = (): Record<string, () => Partial<ApiFilter>> => ({
  ...Object.fromEntries(sessionStates.map((state) => [`state ${state}`, () => ({ sessionState: state })])),
  ...Object.fromEntries(attestationStatuses.map((status) => [`status ${status}`, () => ({ status })])),
  "external id": () => ({ externalId: `investor-${1000 + Math.floor(Math.random() * 4000)}` }),
  "an unknown external id": () => ({ externalId: randomText(8) }),
  "external id and status": () => ({
    externalId: `investor-${1000 + Math.floor(Math.random() * 4000)}`,
    status: "pending",
  }),
})

async function fill(count: number): Promise<{ workspaceId: string; wallets: string[] }> {
  const { workspaces } = await createAccount({ name: "Large customer", plan: "enterprise" })
  const workspaceId = workspaces.live
  const wallets: string[] = []
  while (wallets.length < count) {
    const batch = walletsFor(Math.min(BATCH, count - wallets.length))
    const ages_days = batch.map((_, n) => DAYS * (1 - (wallets.length + n) / count))
    await insertAttestations(workspaceId, batch, ages_days)
    wallets.push(...batch)
  }
  await sql`vacuum analyze attestations, investors`
  return { workspaceId, wallets }
}

async function cursorAt({ workspaceId }: Principal, place: number): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from attestations where workspace_id = ${workspaceId} order by seq desc offset ${place} limit 1`
  return Buffer.from(row!.id).toString("base64url")
}

async function time(name: string, request: () => Promise<number>): Promise<FilterTimes> {
  for (let n = 0; n < WARMUP; n++) await request()
  const times_ms: number[] = []
  const rows: number[] = []
  for (let n = 0; n < REQUESTS; n++) {
    const began = performance.now()
    rows.push(await request())
    times_ms.push(performance.now() - began)
  }
  const quantile = (all: number[], q: number) => all.sort((a, b) => a - b)[Math.floor(q * (all.length - 1))]!
  return {
    name,
    p50_ms: quantile(times_ms, 0.5),
    p99_ms: quantile(times_ms, 0.99),
    rows: quantile(rows, 0.5),
  }
}
