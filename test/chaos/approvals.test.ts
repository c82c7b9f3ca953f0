import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { type ProvenMember, provenMember, proveSecondFactor } from "#test/fixtures/approvals.ts"
import { type AskedTransfer, type ForcedTransfers, forcedTransfers } from "#test/fixtures/forced-transfers.ts"
import type { Response } from "#test/fixtures/http.ts"
import { type Answer, Browser } from "#test/fixtures/people.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { newSeed, type Random, randomFrom } from "./random.ts"

// Members, the requester, the clock and changes of the policy and the account race for the same request, over two
// replicas that are killed in between. `VOUCH_APPROVAL_RACES` sets how many races are run.

const RACES = Number(process.env.VOUCH_APPROVAL_RACES ?? 60)
/** In one of so many races, a replica is killed. */
const KILL_EACH = 10
/** A second factor counts for five minutes. */
const PROVE_EACH = 50
const LIMIT_MS = 60_000 + RACES * 2000

let app: TestApp
let fixture: ForcedTransfers
let ownKey: string
let removable: ProvenMember & { id: string }
let replicas: ShiftedServer[]
let random: Random
const seed = newSeed()

beforeAll(async () => {
  random = randomFrom(seed)
  app = await startTestApp({ VOUCH_ROLE: "web", ...LIMITS })
  // Accounts of tokens are made by a worker.
  replicas = [await start(), await start()]
  fixture = await forcedTransfers(app, String(RACES))
  const { owner } = fixture
  // The requester is a key of the owner, who must therefore never be able to approve.
  const scopes = ["token:control", "token:read", "config:write"]
  ownKey = (await owner.browser.mutate("key.create", { name: "Own", scopes })).data.api_key
  const member = await provenMember(app, { role: "compliance", account: owner.account })
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${member.email}`
  removable = { ...member, id: user!.id }
}, LIMIT_MS)
afterAll(async () => {
  for (const one of replicas) await one.kill()
  await app.stop()
})

const LIMITS = { VOUCH_MAX_CHANGES_PER_DAY: "100000" }
const start = () => startShiftedServer(app, 0, LIMITS)

/** A member's browser at a replica, with the session that they have. */
function at(replica: ShiftedServer, { browser, workspaceId }: ProvenMember): Browser {
  const tab = new Browser(replica)
  for (const [name, value] of browser.cookies) tab.cookies.set(name, value)
  tab.workspaceId = workspaceId
  return tab
}

/** What an act answered: whether it was done, or null if its replica died before it answered. */
type Ended = { act: string; isDone: boolean | null; error?: string | undefined }
type Act = (asked: AskedTransfer, replica: ShiftedServer) => Promise<Answer | Response | null>

const approve =
  (who: () => ProvenMember): Act =>
  ({ approvalId: approval_id, digest }, replica) =>
    at(replica, who()).mutate("approval.approve", { approval_id, digest })

/** Each act, and the state in which a request is if it was the one that decided; null if it decides nothing itself. */
const acts: Record<string, { run: Act; decides: string | null }> = {
  approve: { run: approve(() => fixture.officer), decides: "approved" },
  "approve again": { run: approve(() => fixture.officer), decides: "approved" },
  "approve as another": { run: approve(() => fixture.second), decides: "approved" },
  "approve and be removed": { run: approve(() => removable), decides: "approved" },
  "approve one's own": { run: approve(() => fixture.owner), decides: "never" },
  reject: {
    run: ({ approvalId: approval_id, digest }, replica) =>
      at(replica, fixture.second).mutate("approval.reject", { approval_id, digest, reason: "No" }),
    decides: "rejected",
  },
  withdraw: {
    run: ({ approvalId }, replica) =>
      replica.request({ method: "POST", path: `/approval/${approvalId}/withdraw`, key: ownKey, json: {} }),
    decides: "withdrawn",
  },
  expire: {
    async run({ approvalId }) {
      await sql`update approvals set expires_at = now() where id = ${approvalId} and state = 'pending'`
      return null
    },
    decides: null,
  },
  "change the policy": {
    // An empty change makes a new version, without loosening anything.
    run: (_asked, replica) =>
      replica.request({ method: "PATCH", path: `/approval-policy/${fixture.policyId}`, key: ownKey, json: {} }),
    decides: null,
  },
  "remove the member": {
    run: (_asked, replica) => at(replica, fixture.owner).mutate("member.remove", { user_id: removable.id }),
    decides: null,
  },
}

const sides = ["approve again", "approve as another", "reject", "withdraw", "expire", "change the policy"]

/** An approval, one to three acts that contradict it, and always the requester's own. */
function choose(): string[] {
  const others = random.shuffle(sides).slice(0, 1 + random.below(3))
  const removal = random.chance(0.25) ? ["approve and be removed", "remove the member"] : []
  const first = random.chance(0.8) ? ["approve"] : []
  return random.shuffle([...first, "approve one's own", ...others, ...removal])
}

async function attempt(act: string, asked: AskedTransfer, replica: ShiftedServer): Promise<Ended> {
  // An approval does more than the others, so it gets a head start.
  const latest = acts[act]!.decides === "approved" ? 5 : 20
  await new Promise((resolve) => setTimeout(resolve, random.below(latest)))
  try {
    const answer = await acts[act]!.run(asked, replica)
    if (answer === null) return { act, isDone: null }
    const error: string | undefined = "error" in answer ? answer.error?.error : answer.json?.error
    return { act, isDone: answer.status === 200, error }
  } catch {
    return { act, isDone: null }
  }
}

/** Lets a request end that every act has missed, because its replica died. */
async function finish(asked: AskedTransfer): Promise<void> {
  const [row] = await sql`select state, expires_at > now() as waits from approvals where id = ${asked.approvalId}`
  if (row!.state === "pending" && row!.waits) await acts.withdraw!.run(asked, replicas[0]!)
  await waitFor(async () => {
    const [now] = await sql`select state from approvals where id = ${asked.approvalId}`
    return now!.state !== "pending"
  }, "the request to end")
}

async function expectOneOutcome({ approvalId, operationId }: AskedTransfer, ended: Ended[]): Promise<string> {
  const [row] = await sql`select state, given, outcome from approvals where id = ${approvalId}`
  const begun = await sql`select payload->>'approval_id' as approval from operations where id = ${operationId}`
  const entries = await sql<{ action: string; seq: bigint }[]>`
    select action, seq from audit_entries where subject = ${operationId} and action like 'approval.%' order by seq`
  const about = JSON.stringify({ seed, state: row!.state, ended })
  const isApproved = row!.state === "approved"
  expect(
    entries.map(({ action }) => action),
    about,
  ).toEqual(row!.state === "expired" ? ["approval.requested"] : ["approval.requested", `approval.${row!.state}`])
  expect(begun, about).toHaveLength(isApproved ? 1 : 0)
  expect(row!.given, about).toHaveLength(isApproved ? 1 : 0)
  if (isApproved) expect(row!.outcome, about).toEqual({ operation_id: operationId })
  for (const { act, isDone } of ended) {
    const { decides } = acts[act]!
    if (isDone && decides !== null) expect([act, decides], about).toEqual([act, row!.state])
  }
  // Who approved it did so once. A withdrawal may be repeated, and nothing else.
  expect(ended.filter(({ act, isDone }) => isDone && acts[act]!.decides === "approved").length, about).toBeLessThan(2)
  return row!.state
}

/** An approval of the removed member was taken before they were removed. Then they come back. */
async function expectRemovedInOrder({ approvalId, operationId }: AskedTransfer, member: object | undefined) {
  const [removed] = await sql<{ seq: bigint }[]>`
    select max(seq) as seq from audit_entries where action = 'member.removed' and subject = ${removable.id}`
  const [row] = await sql`select given from approvals where id = ${approvalId}`
  const [left] = await sql`select from members where user_id = ${removable.id}`
  if (left) return
  if (row!.given.some(({ id }: { id: string }) => id === removable.id)) {
    const [approved] = await sql<{ seq: bigint }[]>`
      select seq from audit_entries where subject = ${operationId} and action = 'approval.approved'`
    expect(approved!.seq).toBeLessThan(removed!.seq)
  }
  await sql`insert into members ${sql(member as never)}`
}

test(
  `${RACES} races for a request have one outcome each, and at most one operation`,
  async () => {
    const states: Record<string, number> = {}
    const done: Record<string, number> = {}
    const operations = new Set<string>()
    let kills = 0
    const [member] = await sql`select * from members where user_id = ${removable.id}`
    for (let race = 0; race < RACES; race++) {
      if (race % PROVE_EACH === 0)
        for (const one of [fixture.officer, fixture.second, fixture.owner, removable]) await proveSecondFactor(one)
      const asked = await fixture.asked("1", { key: ownKey })
      const racing = choose().map((act, n) => attempt(act, asked, replicas[(race + n) % 2]!))
      if (race % KILL_EACH === KILL_EACH - 1) {
        const dying = random.below(2)
        await new Promise((resolve) => setTimeout(resolve, random.below(25)))
        await replicas[dying]!.kill()
        kills++
        replicas[dying] = await start()
      }
      const ended = await Promise.all(racing)
      await finish(asked)
      const state = await expectOneOutcome(asked, ended)
      await expectRemovedInOrder(asked, member)
      states[state] = (states[state] ?? 0) + 1
      for (const { act, isDone } of ended) if (isDone) done[act] = (done[act] ?? 0) + 1
      if (state === "approved") operations.add(asked.operationId)
    }
    console.log(JSON.stringify({ seed, races: RACES, kills, states, done }))
    await waitFor(async () => {
      const moved = await sql`select from operations where kind = 'force_transfer' and status = 'confirmed'`
      return moved.length === operations.size
    }, "the operations")
    // On chain, each approved request moved one token, and no other did.
    expect(await fixture.tokens.onChain(fixture.config, fixture.receiver)).toBe(BigInt(operations.size))
    const decided = () => sql<{ count: number }[]>`
      select count(*)::int from events where type = 'approval.decided' group by data->>'approval_id'`
    await waitFor(async () => (await decided()).length === RACES, "the events")
    expect((await decided()).filter(({ count }) => count !== 1)).toEqual([])
  },
  LIMIT_MS,
)
