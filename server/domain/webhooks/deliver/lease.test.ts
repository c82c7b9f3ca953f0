import { afterEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { type Lease, leaseDue, release } from "./queue.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })
afterEach(async () => {
  await sql`delete from webhook_deliveries`
  await sql`delete from webhook_endpoints`
})

/** Endpoints of one workspace, a new one by default, each with a delivery to send now. */
async function dueEndpoints(
  count: number,
  { isSlow = false, workspaceId }: { isSlow?: boolean; workspaceId?: string } = {},
): Promise<string[]> {
  workspaceId ??= (await app.key()).workspaceId
  const ids = Array.from({ length: count }, (_, n) => `whe_${workspaceId}${isSlow ? "slow" : ""}${n}`)
  await sql`
    insert into webhook_endpoints (workspace_id, id, url, secret, cursor, is_slow, created_at)
    select ${workspaceId}, id, 'https://example.com/' || id, ''::bytea, 0, ${isSlow}, now() from unnest(${ids}::text[]) id`
  await sql`
    insert into webhook_deliveries (workspace_id, endpoint_id, sequence, status, next_attempt_at)
    select ${workspaceId}, id, 1, 'pending', '2020-01-01' from unnest(${ids}::text[]) id`
  return ids
}

const idsOf = (leases: Lease[]) => leases.map(({ id }) => id)
const lease = async (fast = 100, slow = 100) => idsOf(await leaseDue({ fast, slow }))

test("workers that ask at the same time never share an endpoint", async () => {
  const due = (await Promise.all([dueEndpoints(5), dueEndpoints(5), dueEndpoints(5)])).flat()
  const leased = (await Promise.all(Array.from({ length: 4 }, () => lease()))).flat()
  leased.push(...(await lease()))
  expect(leased.sort()).toEqual(due.sort())
})

test("a worker gets as many endpoints as it has places for, and the next ones when it asks again", async () => {
  const due = await dueEndpoints(6)
  const first = await leaseDue({ fast: 4, slow: 100 })
  expect(first).toHaveLength(4)
  for (const one of first) await release(one)
  const second = await lease(4)
  expect(second.slice().sort()).toEqual(
    [...due.filter((id) => !idsOf(first).includes(id)), ...idsOf(first).slice(0, 2)].sort(),
  )
})

test("each workspace has at most eight fast and eight slow endpoints served at a time", async () => {
  const { workspaceId } = await app.key()
  await dueEndpoints(10, { workspaceId })
  await dueEndpoints(10, { workspaceId, isSlow: true })
  const first = await leaseDue({ fast: 100, slow: 100 })
  expect(first.filter(({ is_slow }) => !is_slow)).toHaveLength(8)
  expect(first.filter(({ is_slow }) => is_slow)).toHaveLength(8)
  expect(await lease()).toEqual([])
  const others = await dueEndpoints(2)
  expect((await lease()).sort()).toEqual(others)
  await release(first[0]!)
  expect(await lease()).toHaveLength(1)
})

test("a crashed worker's endpoint goes to another one, and its late release frees nothing", async () => {
  await dueEndpoints(1)
  const [dead] = await leaseDue({ fast: 1, slow: 1 })
  expect(await lease()).toEqual([])
  await sql`update webhook_endpoints set leased_until = clock_timestamp() where id = ${dead!.id}`
  const [heir] = await leaseDue({ fast: 1, slow: 1 })
  expect(heir).toMatchObject({ id: dead!.id, is_slow: false })
  await release(dead!)
  expect(await lease()).toEqual([])
  await release(heir!)
  expect(await lease()).toEqual([heir!.id])
})

test("an endpoint that is disabled, deleted or has nothing to send is not leased", async () => {
  const [waiting, disabled, deleted, due] = await dueEndpoints(4)
  await sql`update webhook_deliveries set next_attempt_at = '2100-01-01' where endpoint_id = ${waiting!}`
  await sql`update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone' where id = ${disabled!}`
  await sql`update webhook_endpoints set deleted_at = now() where id = ${deleted!}`
  expect(await lease()).toEqual([due])
})
