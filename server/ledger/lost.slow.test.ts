import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { operations } from "#server/domain/operations/operations.ts"
import type { Address } from "#shared/address.ts"
import { type Fault, type Reply, replying, rpcError, signatureOf } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type AppOnFaultyNodes, startAppOnFaultyNodes } from "#test/fixtures/app-on-faulty-nodes.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { Tracker } from "./track.ts"

// Many transactions of one customer are lost at once, with the default budget of calls.

/** More than one customer may have in flight. */
const SESSIONS = 70
const UNDER_WAY = 64

let faulty: AppOnFaultyNodes
let other: { mint: () => Promise<string> }

beforeAll(async () => {
  faulty = await startAppOnFaultyNodes({ others: 1 })
  await faulty.wallet() // The credential's mint exists from here on.
  const key = await faulty.app.key({ plan: "growth" })
  const tokens = tokenFixture(faulty.app, key)
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  other = {
    mint: async () => {
      const answer = await tokens.mint(config, wallet!, "1", { headers: { Prefer: "respond-async" } })
      return answer.json.operation_id as string
    },
  }
})
afterEach(() => faulty.behave())
afterAll(() => faulty.stop())

const sent = new Map<string, number>()
/** The node accepts everything that is sent, and loses it. */
const losing =
  (besides: Fault | null = null): Fault =>
  async (call, ask): Promise<Reply> => {
    if (call.method !== "sendTransaction") return besides ? besides(call, ask) : ask()
    const signature = signatureOf(call.params[0] as string)
    sent.set(signature, (sent.get(signature) ?? 0) + 1)
    return { result: signature }
  }

type Attest = { id: string; wallet: Address; status: string; signature: string | null }
const attests = (sessions: string[]) => sql<Attest[]>`
  select o.id, o.wallet, o.status, o.signature from operations o join attestations a on a.operation_id = o.id
  where a.session_id = any(${sessions}) order by o.seq`

/** Approves people in separate transactions, and loses all of these before any expires. */
async function loseApprovals(): Promise<string[]> {
  for (const node of faulty.nodes) node.fault = losing(replying(rpcError(-32005), ["getEpochInfo"]))
  const { app, key } = faulty
  const sessions: string[] = []
  for (let n = 0; n < SESSIONS; n++) {
    const { sessionId } = await app.startSession(key)
    await app.webhook({ session_id: sessionId, decision: "approved" })
    sessions.push(sessionId)
    const isSent = async () => (await attests([sessionId]))[0]?.status === "submitted"
    if (n < UNDER_WAY) await waitFor(isSent, "the approval to be sent")
  }
  await faulty.warp()
  return sessions
}

/** A tracker as in a new process, which knows only what is in the database. */
async function goesOnAfterRestart(sessions: string[]): Promise<void> {
  const dead = new Set((await attests(sessions)).map(({ signature }) => signature))
  const [well] = faulty.nodes
  well!.fault = losing()
  sent.clear()
  const restarted = new Tracker(deployment.chains.test!, { kinds: operations, commitment: "confirmed" })
  await restarted.tick()
  expect(restarted.inDoubt).toBeGreaterThanOrEqual(UNDER_WAY)
  expect(restarted.load.underWay.get(faulty.key.workspaceId)).toBeUndefined()
  well!.calls.clear()
  const looksTwice = async () => (well!.calls.get("getEpochInfo") ?? 0) > 5
  await waitFor(async () => {
    await restarted.tick()
    return looksTwice()
  }, "it to check them again")
  await restarted.end()
  expect([...sent.keys()].filter((signature) => dead.has(signature))).toEqual([])
}

const health = async () => (await faulty.app.request({ method: "GET", path: "/health" })).json
const allConfirmed = async (sessions: string[]) =>
  (await attests(sessions)).every(({ status }) => status === "confirmed")

test("many lost transactions are proven to be lost, and signed again once nodes answer truthfully", async () => {
  const sessions = await loseApprovals()
  const dead = (await attests(sessions)).flatMap(({ status, signature }) =>
    status === "submitted" ? (signature ?? []) : [],
  )
  expect(dead.length).toBeGreaterThanOrEqual(UNDER_WAY)
  await waitFor(async () => (await health()).status !== "ok", "health to report that they are stuck")
  for (const node of faulty.nodes) node.fault = losing()
  const left = async () => (await attests(sessions)).filter(({ signature }) => dead.includes(signature ?? ""))
  await waitFor(async () => (await left()).length < dead.length, "the first to be signed again")
  sent.clear()
  await waitFor(async () => (await left()).length === 0, "all of them to be signed again")
  expect([...sent.keys()].filter((signature) => dead.includes(signature))).toEqual([])
  for (const node of faulty.nodes) node.fault = null
  await waitFor(() => allConfirmed(sessions), "all of them to be confirmed")
  const ids = (await attests(sessions)).map(({ id }) => id)
  const [landed] = await sql<{ count: number }[]>`
    select count(*)::int as count from transactions t, jsonb_array_elements(t.layout) as o
    where t.status = 'confirmed' and o ->> 0 = any(${ids})`
  expect(landed!.count).toBe(SESSIONS)
  await waitFor(async () => (await health()).status === "ok", "health to recover")
})

test("one customer's doubtful transactions take no capacity from another while a node answers nothing", async () => {
  const sessions = await loseApprovals()
  const [well, ailing] = faulty.nodes
  ailing!.fault = replying({ status: 503 })
  well!.fault = null
  await waitFor(async () => /may have landed or not/.test((await health()).checks.chain), "the doubt")
  const id = await other.mint()
  await faulty.becomes(id, "confirmed")
  await goesOnAfterRestart(sessions)
  expect((await attests(sessions)).filter(({ status }) => status === "confirmed").length).toBeLessThan(SESSIONS)
  ailing!.fault = null
  await waitFor(() => allConfirmed(sessions), "all of them to be confirmed")
})
