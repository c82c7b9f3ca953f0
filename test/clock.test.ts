import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { open, sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { startTestApp, type TestApp, waitFor } from "./app.ts"
import { advanceClock, moveClock, realNow, restoreClock } from "./clock.ts"

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const DAY = 86_400_000

test("a sweep that began by a time ahead ends nothing that comes once the clock is restored", async () => {
  const [held, free] = [await app.key(), await app.key()]
  for (const key of [held, free]) await app.startSession(key)
  // As a process would that has stopped: the sweep of this one waits for its row.
  const stopped = open(app.databaseUrl, 1)
  await stopped.unsafe("begin")
  await stopped`select from usage_periods where workspace_id = ${held.workspaceId} for update`
  const isSweepHeld = async () =>
    (
      await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%with due as%'`
    ).length > 0

  await advanceClock({ days: 2 })
  await waitFor(isSweepHeld, "a sweep to wait for the row")
  await restoreClock()
  const [{ sessionId: young }, { sessionId: old }] = [
    await app.startSession(free),
    await app.startSession(free),
  ]
  await stopped.end()
  await sql`update attestations set open_until = now() - interval '1 second' where session_id = ${old}`
  const statusOf = async (sessionId: string) =>
    (await sql`select status from attestations where session_id = ${sessionId}`)[0]!.status
  // One sweep begins where the other has ended, and the late one would take both at once.
  await waitFor(async () => (await statusOf(old)) === "expired", "the old session to be ended")
  expect(await statusOf(young)).toBe("pending")
})

test("the clock goes on from where it was moved to, or stands there", async () => {
  await advanceClock({ days: 1, seconds: -60 })
  expect(Math.round((clock.now().getTime() - realNow().getTime()) / 1000)).toBe(86_340)
  const standing = new Date(realNow().getTime() + DAY)
  await moveClock(standing)
  expect([clock.now(), clock.now()]).toEqual([standing, standing])
})

test("the test before left the clock where it was, though it did not say so", () => {
  expect(clock.now().getTime() - realNow().getTime()).toBeLessThan(DAY / 2)
})

test("nobody moves the clock by assigning to it or by a spy", () => {
  const { now } = clock
  expect(() => Object.assign(clock, { now: () => new Date(0) })).toThrow(TypeError)
  expect(() => vi.spyOn(clock, "now")).toThrow(TypeError)
  expect(clock.now).toBe(now)
})
