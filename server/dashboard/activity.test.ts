import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { publishActivity, subscribeActivity, watchers } from "#db/pubsub.ts"
import { principalIn } from "#server/domain/people/principal.ts"
import type { SignedIn } from "#server/domain/requests/context.ts"
import { newId } from "#server/lib/ids.ts"
import { startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { type Change, watchActivity } from "./activity.ts"

let app: TestApp
let stopped = false

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  if (!stopped) await app.stop()
})

/** A member with an open stream of a workspace, and the events received. */
async function watch(browser: Browser, workspaceId = browser.workspaceId) {
  const gone = new AbortController()
  const response = await browser.fetch(`/api/trpc/activity.changes?input=%7B%7D&workspace=${workspaceId}`, {
    signal: gone.signal,
  })
  const seen = { text: "", ended: null as "done" | "broken" | null }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      seen.text += value
    }
  }
  read().then(
    () => {
      seen.ended = "done"
    },
    () => {
      seen.ended = "broken"
    },
  )
  await waitFor(async () => seen.text.includes("event: connected") || seen.ended, "the stream")
  const changes = () => seen.text.match(/^data: \{"at":/gm)?.length ?? 0
  return { response, seen, changes, leave: () => gone.abort() }
}

const changed = (watcher: Awaited<ReturnType<typeof watch>>, since: number, what: string) =>
  waitFor(async () => watcher.changes() > since, what)

test("changes in a workspace are reported to its watchers and to no others", async () => {
  const { browser, account, workspaceId } = await member(app)
  const key = await app.key({ account })
  const stranger = await member(app)
  const mine = await watch(browser)
  const theirs = await watch(stranger.browser)
  expect(mine.response.headers.get("content-type")).toContain("text/event-stream")

  const { wallet, sessionId } = await app.startSession(key)
  await changed(mine, 0, "a start")
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  const verified = mine.changes()
  const tokens = tokenFixture(app, key)
  const config = await tokens.config()
  await changed(mine, verified, "a new configuration")
  const configured = mine.changes()
  await tokens.mint(config, wallet, "1")
  await changed(mine, configured, "a mint")
  const minted = mine.changes()
  await app.request({
    method: "POST",
    path: `/attestation/${attestation_id}/revoke`,
    key: key.apiKey,
    json: { reason: "x" },
  })
  await changed(mine, minted, "a revocation")
  expect(theirs.changes()).toBe(0)
  publishActivity(stranger.workspaceId)
  await changed(theirs, 0, "their own change")
  expect(workspaceId).not.toBe(stranger.workspaceId)
  mine.leave()
  theirs.leave()
})

test("a stream needs a session and a workspace of one's own", async () => {
  const { browser } = await member(app)
  const other = await member(app)
  const refused = await watch(browser, other.workspaceId)
  const { seen } = refused
  await waitFor(async () => seen.ended, "the end of the refusal")
  expect(seen.text).toContain("workspace_not_found")
  browser.cookies.clear()
  const stranger = await watch(browser)
  await waitFor(async () => stranger.seen.ended, "the end of the refusal")
  expect(stranger.seen.text).toContain("not_signed_in")
})

test("changes in quick succession are reported together", async () => {
  const { browser, workspaceId } = await member(app)
  const watcher = await watch(browser)
  for (let n = 0; n < 1000; n++) publishActivity(workspaceId)
  await changed(watcher, 0, "the changes")
  publishActivity(workspaceId)
  await changed(watcher, 1, "the change after them")
  expect(watcher.changes()).toBe(2)
  watcher.leave()
})

test("other processes get the changes of many workspaces in few notices that fit Postgres' limit", async () => {
  const notices: string[] = []
  const listener = postgres(app.databaseUrl, { ...socketOptions(app.databaseUrl), max: 1 })
  await listener.listen("vouch", (notice) => void notices.push(notice))
  const ids = Array.from({ length: 700 }, () => newId("ws"))
  for (const id of [...ids, ...ids]) publishActivity(id)
  const activity = () => notices.filter((notice) => notice.split(" ")[1] === "activity")
  const heard = () => new Set(activity().flatMap((notice) => notice.split(" ").slice(2)))
  await waitFor(async () => ids.every((id) => heard().has(id)), "all of them")
  await listener.end()
  expect(Math.max(...activity().map((notice) => notice.length))).toBeLessThan(8000)
  expect(activity().length).toBeLessThan(10)
})

test("changes in another process are reported here", async () => {
  const workspaceId = newId("ws")
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = subscribeActivity(workspaceId, resolve)
  await sql`select pg_notify('vouch', ${`another-process activity ${newId("ws")} ${workspaceId}`})`
  await promise
  stop()
})

async function signedIn() {
  const { email, workspaceId } = await member(app)
  const [row] = await sql<{ id: string; name: string; session_id: string }[]>`
    select u.id, u.name, s.id as session_id from users u join user_sessions s on s.user_id = u.id where u.email = ${email}`
  const user: SignedIn = { id: row!.id, name: row!.name, email, sessionId: row!.session_id }
  return { user, principal: await principalIn(user, workspaceId), workspaceId }
}

test.each([
  ["session", (user: SignedIn) => sql`delete from user_sessions where id = ${user.sessionId}`],
  ["membership", (user: SignedIn) => sql`delete from members where user_id = ${user.id}`],
])("a stream ends with the reader's %s", async (_what, end) => {
  const { user, principal, workspaceId } = await signedIn()
  const gone = new AbortController()
  const changes = watchActivity({ principal, user, signal: gone.signal, recheckMs: 20 })
  const next = changes.next()
  publishActivity(workspaceId)
  expect((await next).value).toEqual({ at: expect.any(String), access: false } satisfies Change)
  await end(user)
  await expect(changes.next()).rejects.toMatchObject({ code: "not_signed_in" })
  gone.abort()
})

test("a member whose role changes is notified to read their permissions again", async () => {
  const owner = await member(app)
  const { browser, email } = await member(app, { account: owner.account, role: "compliance" })
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`
  const watcher = await watch(browser)
  publishActivity(owner.workspaceId)
  await changed(watcher, 0, "a change")
  expect(watcher.seen.text).not.toContain('"access":true')
  expect((await owner.browser.mutate("member.changeRole", { user_id: user!.id, role: "viewer" })).status).toBe(200)
  await waitFor(async () => watcher.seen.text.includes('"access":true'), "the news")
  watcher.leave()
})

test("a change between the call and the first read is not missed, and a stream that is never read is freed", async () => {
  const { user, principal, workspaceId } = await signedIn()
  const gone = new AbortController()
  const changes = watchActivity({ principal, user, signal: gone.signal })
  publishActivity(workspaceId)
  expect((await changes.next()).value).toMatchObject({ at: expect.any(String) })

  const before = watchers(workspaceId)
  const unread = new AbortController()
  watchActivity({ principal, user, signal: unread.signal })
  expect(watchers(workspaceId)).toBe(before + 1)
  unread.abort()
  expect(watchers(workspaceId)).toBe(before)
  gone.abort()
  expect(watchers(workspaceId)).toBe(0)
})

test("a watcher's access is checked repeatedly, and the stream continues", async () => {
  const { user, principal, workspaceId } = await signedIn()
  const gone = new AbortController()
  const changes = watchActivity({ principal, user, signal: gone.signal, recheckMs: 5 })
  const next = changes.next()
  await new Promise((resolve) => setTimeout(resolve, 50))
  publishActivity(workspaceId)
  expect((await next).done).toBe(false)
  const last = changes.next()
  gone.abort()
  await expect(last).rejects.toMatchObject({ name: "AbortError" })
})

test("an open stream ends when the server stops, before it would be cut off", async () => {
  const { browser } = await member(app)
  const watcher = await watch(browser)
  stopped = true
  await app.stop()
  await waitFor(async () => watcher.seen.ended, "the end of the stream")
  expect(watcher.seen.ended).toBe("done")
  // Without a final event, after which a client would not reconnect.
  expect(watcher.seen.text).not.toContain("event: return")
})
