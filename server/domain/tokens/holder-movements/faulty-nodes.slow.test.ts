import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds, toTimestamp } from "#server/lib/time.ts"
import { type Fault, forgets, noHistory, type Reply, rpcError } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type AppOnFaultyNodes, startAppOnFaultyNodes } from "#test/fixtures/app-on-faulty-nodes.ts"
import { ledgerAtRest } from "#test/fixtures/ledger-at-rest.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { ownTransfers } from "#test/fixtures/own-transfers.ts"
import { followHolders } from "./follow.ts"

// Two nodes, and what one or both of them hide of what holders moved.

let on: AppOnFaultyNodes
let token: Awaited<ReturnType<typeof newToken>>

beforeAll(async () => {
  on = await startAppOnFaultyNodes({ others: 1 })
  token = await newToken()
  await token.isRecorded((await token.move(1)).signature, 1)
  return () => on.stop()
})
afterEach(() => on.behave())

/** A token with two holders, who use the chain itself, whatever its nodes claim. */
async function newToken() {
  const { cluster, key, tokens } = on
  const id = await tokens.config({}, { transfer_mode: "holder" })
  const own = ownTransfers({ app: { ...on.app, connection: cluster.connection }, key, tokens }, id)
  const [alice, bob] = [await own.holder(1000), await own.holder(1000)]
  const recorded = (signature: string) => sql<{ wallet: string; delta: string }[]>`
    select wallet, delta from holder_movements where mint_config = ${id} and signature = ${signature}
    order by delta::numeric`
  return {
    id,
    wallet: alice.wallet,
    recorded,
    mint: own.mint.toBase58(),
    async move(amount: number) {
      const signature = await own.transfer(alice, bob, amount)
      const { value } = await cluster.connection.getSignatureStatus(signature, { searchTransactionHistory: true })
      return { signature, slot: value!.slot }
    },
    /** So many transfers in each direction, with different amounts. Returns the slot of the last one. */
    async moveBackAndForth(count: number): Promise<number> {
      const amounts = Array.from({ length: count }, (_, i) => i + 1)
      const sent = await Promise.all(
        amounts.flatMap((amount) => [own.transfer(alice, bob, amount), own.transfer(bob, alice, amount)]),
      )
      const { value } = await cluster.connection.getSignatureStatuses(sent, { searchTransactionHistory: true })
      return Math.max(...value.map((status) => status!.slot))
    },
    async isRecorded(signature: string, amount: number): Promise<void> {
      await waitFor(async () => (await recorded(signature)).length > 0, `${signature} to be recorded`)
      expect(await recorded(signature)).toEqual([
        { wallet: alice.wallet, delta: String(-amount) },
        { wallet: bob.wallet, delta: String(amount) },
      ])
    },
    async period() {
      const [row] = await sql<Period[]>`
        select followed_slot::float8 as followed_slot, cursor_signature, lost_at, missing_since
        from holder_periods where mint_config = ${id}`
      return row!
    },
    registerAt: (slot: number) => tokens.get(`/token/register/${id}?at=${slot}`),
  }
}
type Period = { followed_slot: number; cursor_signature: string; lost_at: Date | null; missing_since: Date | null }

/** Some rounds of the follower, and longer than a block takes to be final. */
const someRounds = () => sleep(4500)
const isServed = (slot: number, of = token) =>
  waitFor(async () => {
    const answer = await of.registerAt(slot)
    return answer.status === 200 ? answer.json : null
  }, "the register")

type Entry = { signature: string; slot: number; err: unknown }
type Balance = { uiTokenAmount: { amount: string } }
type Found = { slot: number; meta: { postTokenBalances: Balance[] | null } } | null

const changing =
  <T>(method: string, change: (result: T) => unknown): Fault =>
  async (call, ask) => {
    const reply: Reply = await ask()
    if (call.method !== method || typeof reply === "string" || !("result" in reply)) return reply
    return { result: change(reply.result as T) }
  }
/** Changes the history of a token alone: other histories are evidence for operations. */
const listing =
  (change: (list: Entry[]) => Entry[], mint = token.mint): Fault =>
  (call, ask) =>
    call.params[0] === mint ? changing("getSignaturesForAddress", change)(call, ask) : ask()
const returning = (change: (found: NonNullable<Found>) => Found, since: number): Fault =>
  changing("getTransaction", (found: Found) => (found && found.slot >= since ? change(found) : found))
const withBalances = (change: (balances: Balance[]) => Balance[] | null, since: number): Fault =>
  returning(
    (found) => ({ ...found, meta: { ...found.meta, postTokenBalances: change(found.meta.postTokenBalances!) } }),
    since,
  )

/** A node that does not know the version of a transaction. */
const unreadable =
  (since: number): Fault =>
  async (call, ask) => {
    const reply = await ask()
    if (call.method !== "getTransaction" || typeof reply === "string" || !("result" in reply)) return reply
    return ((reply.result as Found)?.slot ?? 0) >= since ? rpcError(-32015, "unsupported version") : reply
  }

/** Faults about what lands since a slot. */
type Lie = [name: string, fault: (since: number) => Fault]

const missing: Lie[] = [
  ["lists nothing", () => listing(() => [])],
  ["has only the newest transactions", (since) => listing((list) => list.filter(({ slot }) => slot >= since))],
  ["shifts slots", () => listing((list) => list.map((one) => ({ ...one, slot: one.slot - 1 })))],
  ["lists transactions out of order", () => listing((list) => list.toReversed())],
  ["does not return the transaction", (since) => returning(() => null, since)],
  ["leaves out an account", (since) => withBalances((balances) => balances.slice(1), since)],
  ["returns no balances", (since) => withBalances(() => null, since)],
  ["keeps no history", () => noHistory],
  ["cannot read the transaction", (since) => unreadable(since)],
]

test.each(missing)("while each node %s, nothing is skipped and the moment is not final", async (_name, faultOf) => {
  const since = await on.cluster.connection.getSlot("confirmed")
  for (const node of on.nodes) node.fault = faultOf(since)
  const { signature, slot } = await token.move(2)
  await waitFor(async () => (await token.period()).missing_since !== null, "the gap to be noticed")
  await someRounds()
  expect(await token.recorded(signature)).toEqual([])
  const { followed_slot, lost_at } = await token.period()
  expect(followed_slot).toBeLessThan(slot)
  expect(lost_at).toBeNull()
  await on.behave()
  await token.isRecorded(signature, 2)
  expect((await isServed(slot)).complete).toBe(true)
})

test.each(missing)("while one node %s, the other is enough", async (_name, faultOf) => {
  const since = await on.cluster.connection.getSlot("confirmed")
  on.nodes[0]!.fault = faultOf(since)
  await token.isRecorded((await token.move(3)).signature, 3)
})

test("a node that lacks the time of a block does not contradict one that has it", async () => {
  const since = await on.cluster.connection.getSlot("confirmed")
  on.nodes[1]!.fault = returning((found) => ({ ...found, blockTime: null }), since)
  await token.isRecorded((await token.move(3)).signature, 3)
})

test("two nodes may list the transactions of a slot in different orders", async () => {
  on.nodes[1]!.fault = listing((list) =>
    [...Map.groupBy(list, ({ slot }) => slot).values()].flatMap((ofSlot) => ofSlot.toReversed()),
  )
  const slot = await token.moveBackAndForth(10)
  expect((await isServed(slot)).complete).toBe(true)
})

const contradictions: Lie[] = [
  ["leaves out the transaction", (since) => listing((list) => list.filter(({ slot }) => slot < since))],
  [
    "says that it failed",
    (since) =>
      listing((list) =>
        list.map((one) => (one.slot < since ? one : { ...one, err: { InstructionError: [0, { Custom: 1 }] } })),
      ),
  ],
  [
    "returns other amounts",
    (since) =>
      withBalances((balances) => {
        const amounts = balances.map(({ uiTokenAmount }) => uiTokenAmount).toReversed()
        return balances.map((one, i) => ({ ...one, uiTokenAmount: amounts[i]! }))
      }, since),
  ],
]

test.each(contradictions)("while one of two nodes %s, neither is believed", async (_name, faultOf) => {
  const since = await on.cluster.connection.getSlot("confirmed")
  on.nodes[1]!.fault = faultOf(since)
  const { signature, slot } = await token.move(4)
  await waitFor(async () => (await token.period()).missing_since !== null, "the contradiction to be noted")
  await someRounds()
  expect(await token.recorded(signature)).toEqual([])
  expect((await token.registerAt(slot)).json.error).toBe("not_final_yet")
  await on.behave()
  await token.isRecorded(signature, 4)
})

test("while both nodes leave out an operation that is final, their lists count for nothing", async () => {
  const gap = await newToken()
  await gap.isRecorded((await gap.move(1)).signature, 1)
  const since = await on.cluster.connection.getSlot("confirmed")
  for (const node of on.nodes) node.fault = listing((list) => list.filter(({ slot }) => slot < since), gap.mint)
  expect((await on.tokens.mint(gap.id, gap.wallet, "1")).status).toBe(200)
  await waitFor(async () => (await gap.period()).missing_since !== null, "the gap to be noticed")
  const { signature, slot } = await gap.move(6)
  await someRounds()
  expect((await gap.registerAt(slot)).json.error).toBe("not_final_yet")
  await on.behave()
  await gap.isRecorded(signature, 6)
  expect((await isServed(slot, gap)).complete).toBe(true)
})

test("a backlog that takes several rounds is recorded in full before a moment in it is final", async () => {
  const busy = await newToken()
  await busy.isRecorded((await busy.move(1)).signature, 1)
  for (const node of on.nodes) node.fault = listing(() => [], busy.mint)
  const slot = await busy.moveBackAndForth(40)
  // All are final, so the first round lists all of them. It reads some at the same time, and not all of them at once.
  await on.cluster.pass(80)
  let most = 0
  let reading = 0
  for (const node of on.nodes)
    node.fault = async (call, ask) => {
      if (call.method !== "getTransaction") return ask()
      most = Math.max(most, ++reading)
      await sleep(150)
      reading--
      return ask()
    }
  const rows = async () => {
    const [row] = await sql<{ count: number; slot: number; walks: boolean }[]>`
      select (select count(*)::int from holder_movements where mint_config = ${busy.id}) as count,
        followed_slot::float8 as slot, walk is not null as walks
      from holder_periods where mint_config = ${busy.id}`
    return row!
  }
  const between = await waitFor(async () => {
    const row = await rows()
    return row.walks && row
  }, "the first round")
  expect(between.count).toBeLessThan(162)
  expect(most).toBeGreaterThan(4)
  expect(between.slot).toBeLessThan(slot)
  expect((await busy.registerAt(slot)).json.error).toBe("not_final_yet")
  expect((await isServed(slot, busy)).data).toHaveLength(2)
  expect(await rows()).toMatchObject({ count: 162, walks: false })
})

test("a token in agent mode costs no call, and an idle one in holder mode one to each node in a round", async () => {
  const agent = (await on.tokens.get(`/mint-config/${await on.tokens.config()}`)).json.mint
  await token.isRecorded((await token.move(1)).signature, 1)
  const listed: unknown[] = []
  for (const node of on.nodes)
    node.fault = (call, ask) => {
      if (call.method === "getSignaturesForAddress") listed.push(call.params[0])
      return ask()
    }
  await sleep(10_000)
  expect(listed.filter((mint) => mint === agent)).toEqual([])
  const idle = listed.filter((mint) => mint === token.mint).length
  expect(idle).toBeGreaterThan(0)
  expect(idle).toBeLessThanOrEqual(2 * 6)
})

test("processes that read at the same time, and one that ends before it commits, record a transaction once", async () => {
  await sql`
    create function end_process() returns trigger language plpgsql as $$
    begin raise exception 'the process ends here'; end $$`
  await sql`create trigger end_process before insert on holder_movements for each row execute function end_process()`
  const { cursor_signature } = await token.period()
  const { signature } = await token.move(5)
  await someRounds()
  expect(await token.recorded(signature)).toEqual([])
  expect((await token.period()).cursor_signature).toBe(cursor_signature)
  await sql`drop trigger end_process on holder_movements`
  await sql`drop function end_process`
  const look = async () => {
    await sql`update holder_periods set checked_at = '-infinity'`
    await followHolders()
  }
  for (let n = 0; n < 10; n++) await Promise.all([look(), look(), look()])
  await token.isRecorded(signature, 5)
})

test("a token that was idle until nodes dropped its last transaction is followed further", async () => {
  const idle = await newToken()
  const { slot } = await idle.move(1)
  await isServed(slot, idle)
  await on.cluster.pass(40)
  await isServed(slot + 38, idle)
  for (const node of on.nodes) node.fault = forgets(slot + 35)
  const { signature, slot: later } = await idle.move(2)
  await idle.isRecorded(signature, 2)
  expect((await isServed(later, idle)).complete).toBe(true)
  expect((await idle.period()).lost_at).toBeNull()
})

test("a token whose mode becomes holder is followed, although nodes dropped what came before", async () => {
  const id = await on.tokens.config({}, { decimals: 0 })
  const own = ownTransfers(
    { app: { ...on.app, connection: on.cluster.connection }, key: on.key, tokens: on.tokens },
    id,
  )
  const [alice, bob] = [await own.holder(10), await own.holder(10)]
  await ledgerAtRest()
  // Later operations may have opened accounts.
  await sql`update transactions set settled_at = now() - interval '2 minutes' where workspace_id = ${on.key.workspaceId}`
  const first = await on.cluster.connection.getSlot("confirmed")
  await on.cluster.pass(80)
  for (const node of on.nodes) node.fault = forgets(first)
  await changeMode(on, id, "holder")
  await modeSettled(on, id)
  const signature = await own.transfer(alice, bob, 2)
  await waitFor(async () => (await sql`select from holder_movements where signature = ${signature}`)[0], "the transfer")
})

test("a history that no node has for a day without a break is lost, and the register says since when", async () => {
  const pruned = await newToken()
  const { slot } = await pruned.move(1)
  expect((await isServed(slot, pruned)).complete).toBe(true)
  await on.cluster.pass(40)
  const known = slot + 20
  expect((await isServed(known, pruned)).complete).toBe(true)
  const hidden = await pruned.move(7)
  const first = hidden.slot + 1
  for (const node of on.nodes) node.fault = forgets(first)
  await waitFor(async () => (await pruned.period()).missing_since !== null, "the gap to be noticed")
  expect((await pruned.registerAt(hidden.slot)).json.error).toBe("not_final_yet")
  const missingFor = (hours: number, seenHours: number) => sql`
    update holder_periods set missing_since = date_trunc('milliseconds', now()) - ${hours}::int * interval '1 hour',
      missing_seen_at = now() - ${seenHours}::int * interval '1 hour' where mint_config = ${pruned.id}`
  // No process looked for a while.
  await missingFor(48, 2)
  await waitFor(
    async () => Date.now() - Number((await pruned.period()).missing_since ?? 0) < 3_600_000,
    "the time to start again",
  )
  expect((await pruned.period()).lost_at).toBeNull()
  await missingFor(48, 0)
  await waitFor(async () => (await pruned.period()).lost_at !== null, "the history to be lost")
  await on.behave()
  const json = await isServed(hidden.slot, pruned)
  expect(json.complete).toBe(false)
  expect(Date.parse(json.incomplete_since)).toBeLessThanOrEqual(Date.parse(json.as_of.time))
  // What was answered before stays.
  expect((await isServed(known, pruned)).complete).toBe(true)
  expect(await pruned.recorded(hidden.signature)).toEqual([])
  const earlier = toTimestamp(addSeconds((await pruned.period()).lost_at!, -1))
  expect((await on.tokens.get(`/token/register/${pruned.id}?at=${earlier}`)).json.complete).toBe(true)
})

test("what both nodes had left out does not change final moments, and the rest counts as lost", async () => {
  const cut = await newToken()
  await cut.isRecorded((await cut.move(1)).signature, 1)
  const since = await on.cluster.connection.getSlot("confirmed")
  for (const node of on.nodes) node.fault = listing((list) => list.filter(({ slot }) => slot < since), cut.mint)
  // More than are read at the same time, and the oldest matters most.
  const hidden = [await cut.move(6)]
  for (let n = 0; n < 10; n++) hidden.push(await cut.move(1))
  const [first, last] = [hidden[0]!, hidden.at(-1)!]
  const before = await isServed(last.slot, cut)
  expect(before.complete).toBe(true)
  await on.behave()
  await waitFor(async () => (await cut.period()).lost_at !== null, "the rest to be lost")
  for (const { signature, slot } of hidden) {
    expect(await cut.recorded(signature)).toEqual([])
    expect((await isServed(slot, cut)).complete).toBe(false)
  }
  expect((await isServed(last.slot + 1, cut)).data).toEqual(before.data)
  expect((await isServed(first.slot - 1, cut)).complete).toBe(true)
})

test("a count of balances shows that nodes had left something out behind what they listed", async () => {
  const cut = await newToken()
  await cut.isRecorded((await cut.move(1)).signature, 1)
  const since = await on.cluster.connection.getSlot("confirmed")
  const hides = (isHidden: (one: Entry) => boolean) => {
    for (const node of on.nodes) node.fault = listing((list) => list.filter((one) => !isHidden(one)), cut.mint)
  }
  hides(({ slot }) => slot >= since)
  const hidden = await cut.move(6)
  hides(({ signature }) => signature === hidden.signature)
  const { signature, slot } = await cut.move(2)
  await cut.isRecorded(signature, 2)
  await on.behave()
  expect((await isServed(slot, cut)).complete).toBe(true)
  await changeMode(on, cut.id, "agent")
  await modeSettled(on, cut.id)
  const [period] = await sql<{ since: Date }[]>`select since from holder_periods where mint_config = ${cut.id}`
  const json = await isServed(slot, cut)
  expect(json).toMatchObject({ complete: false })
  expect(Math.floor(Date.parse(json.incomplete_since) / 1000)).toBe(Math.floor(period!.since.getTime() / 1000))
})
