import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { newId } from "#server/lib/ids.ts"
import { startOfMonth } from "#server/lib/time.ts"
import { clean } from "#server/start/retention.ts"
import type { LowPayer } from "#shared/ledger-report.ts"
import type { Mode } from "#shared/mode.ts"
import type { NotificationKind } from "#shared/notifications.ts"
import { type MailServer, startMailServer } from "#test/doubles/mail.ts"
import { newWallet, startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { sendNotifications } from "./send.ts"
import { stageNotifications } from "./stage.ts"

let mail: MailServer
let app: TestApp

beforeAll(async () => {
  mail = await startMailServer()
  app = await startTestApp({
    VOUCH_SMTP_URL: mail.url,
    VOUCH_MAIL_FROM: "Vouch <vouch@example.com>",
    VOUCH_ROLE: "web",
  })
})
afterAll(async () => {
  await app.stop()
  await new Promise((resolve) => mail.server.close(resolve))
})
beforeEach(async () => {
  mail.received.length = 0
})

/** An owner in a mode, and a colleague in each other role. */
async function team(mode: Mode = "test") {
  const owner = await member(app, { mode })
  const { account } = owner
  const developer = await member(app, { mode, account, role: "developer" })
  const compliance = await member(app, { mode, account, role: "compliance" })
  const viewer = await member(app, { mode, account, role: "viewer" })
  return { owner, developer, compliance, viewer, account, workspaceId: owner.workspaceId }
}
type Team = Awaited<ReturnType<typeof team>>

const textOf = (text: string) => {
  const [head, ...body] = text.split("\n\n")
  return /base64/i.test(head!) ? Buffer.from(body.join(""), "base64").toString() : body.join("\n\n")
}
/** Who of a team got the mail, in the order of roles, because mails may overtake each other. */
const mailed = ({ owner, developer, compliance, viewer }: Team) =>
  [owner, developer, compliance, viewer].flatMap(({ email, role }) =>
    mail.received.filter(({ to }) => to === email).map(() => role),
  )
const send = async (of: Team) => {
  mail.received.length = 0
  await sendNotifications()
  return mailed(of)
}
const wait = (hours: number) => sql`
  update notifications set created_at = created_at - ${hours} * interval '1 hour',
    next_attempt_at = next_attempt_at - ${hours} * interval '1 hour'`

async function endpoint(workspaceId: string, change: Partial<Record<string, unknown>> = {}): Promise<string> {
  const id = newId("whe")
  const row = {
    workspace_id: workspaceId,
    id,
    url: `https://user:secret@hooks.example/${id}?token=secret`,
    secret: Buffer.from("sealed"),
    cursor: 0,
    created_at: new Date(),
    ...change,
  }
  await sql`insert into webhook_endpoints ${sql(row as never)}`
  return id
}
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)

test("an endpoint that fails for a day, or was disabled, is mailed once, naming only its host", async () => {
  const of = await team()
  const id = await endpoint(of.workspaceId, { failing_since: ago(23) })
  expect(await send(of)).toEqual([])
  await sql`update webhook_endpoints set failing_since = ${ago(25)} where id = ${id}`
  expect(await send(of)).toEqual(["owner", "developer"])
  const [{ text } = { text: "" }] = mail.received
  expect(text).toMatch(/^Subject: .*\[Test\]/m)
  expect(textOf(text)).toContain(`${deployment.origin}/${of.workspaceId}/webhooks/${id}`)
  expect(textOf(text)).toContain("hooks.example")
  expect(textOf(text)).not.toContain("secret")
  await wait(48)
  expect(await send(of)).toEqual([])
  await sql`update webhook_endpoints set disabled_at = now(), disabled_reason = 'failing' where id = ${id}`
  expect(await send(of)).toEqual(["owner", "developer"])
  expect(await send(of)).toEqual([])
  // Another endpoint, which answers 410.
  await sql`
    update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone', failing_since = null where id = ${id}`
  expect(await send(of)).toEqual(["owner", "developer"])
})

test("an endpoint that a member disabled or deleted, or that was disabled long ago, causes no mail", async () => {
  const of = await team()
  await endpoint(of.workspaceId, { disabled_at: new Date(), disabled_reason: "requested" })
  await endpoint(of.workspaceId, { disabled_at: ago(8 * 24), disabled_reason: "failing" })
  await endpoint(of.workspaceId, { failing_since: ago(48), deleted_at: new Date() })
  expect(await send(of)).toEqual([])
})

/** Reports as a living worker does, while a step runs. */
async function saying(payers: LowPayer[], { secondsAgo = 0 } = {}) {
  await sql`delete from workers`
  await sql`
    insert into workers (id, seen_at, low_payers)
    values ('w', now() - ${secondsAgo} * interval '1 second', ${sql.json(payers)})`
}
const low = (mode: Mode) => ({ mode, address: newWallet(), sol: 0.02, hours_left: 3 })

test("a workspace's fee payer that needs SOL is mailed once a day while it lasts", async () => {
  const of = await team()
  const [own, other] = [low("test"), low("test")]
  await sql`update workspaces set fee_payer = ${own.address} where id = ${of.workspaceId}`
  await saying([own, other])
  // The other fee payer is the mode's, which several customers share. Its SOL is the operator's concern.
  expect(await send(of)).toEqual(["owner", "developer"])
  expect(mail.received.every(({ text }) => textOf(text).includes(own.address))).toBe(true)
  await wait(23)
  expect(await send(of)).toEqual([])
  await wait(2)
  await saying([{ ...own, sol: 0.01 }])
  expect(await send(of)).toEqual(["owner", "developer"])
  expect(textOf(mail.received[0]!.text)).toContain("0.01 SOL")
  await wait(25)
  await saying([own], { secondsAgo: 20 })
  expect(await send(of)).toEqual([])
  await saying([])
  expect(await send(of)).toEqual([])
})

test("differences are mailed once a day until there are none", async () => {
  const of = await team()
  await sql`
    insert into audits (workspace_id, at, differences) values (${of.workspaceId}, now(), 2)
    on conflict (workspace_id) do update set at = now(), differences = 2`
  expect(await send(of)).toEqual(["owner", "developer"])
  expect(textOf(mail.received[0]!.text)).toContain("2 differences")
  expect(await send(of)).toEqual([])
  await wait(25)
  await sql`update audits set differences = 0 where workspace_id = ${of.workspaceId}`
  expect(await send(of)).toEqual([])
  await sql`
    insert into quarantines (workspace_id, since, differences)
    values (${of.workspaceId}, now(), '[{"signature": "one"}]')`
  expect(await send(of)).toEqual(["owner", "developer"])
  await sql`delete from quarantines where workspace_id = ${of.workspaceId}`
})

test("owners get a mail at each quota threshold of a month, unless the plan was raised", async () => {
  const of = await team("live")
  const period = startOfMonth(new Date()).toISOString().slice(0, 10)
  const used = (percent: number, count: number) =>
    sql.begin(async (sql) => {
      await sql`
      insert into usage_periods (workspace_id, period, used) values (${of.workspaceId}, ${period}, ${count})
      on conflict (workspace_id, period) do update set used = excluded.used`
      await sql`
      insert into event_counters (workspace_id, quota_period, quota_percent) values (${of.workspaceId}, ${period}, ${percent})
      on conflict (workspace_id) do update set quota_period = excluded.quota_period, quota_percent = excluded.quota_percent`
    })
  await used(80, 401)
  expect(await send(of)).toEqual(["owner"])
  expect(textOf(mail.received[0]!.text)).toContain("401 of 500")
  await used(80, 420)
  expect(await send(of)).toEqual([])
  await used(100, 500)
  await sql`update accounts set included = 10000 where id = ${of.account.id}`
  expect(await send(of)).toEqual([])
  await sql`update accounts set included = 500 where id = ${of.account.id}`
  expect(await send(of)).toEqual(["owner"])
})

async function review(workspaceId: string, change: Partial<Record<string, unknown>> = {}) {
  const row = {
    workspace_id: workspaceId,
    id: newId("rev"),
    kind: "screening",
    subject: newWallet(),
    opened_at: ago(2),
    found_at: ago(2),
    ...change,
  }
  await sql`insert into reviews ${sql(row as never)}`
}
const userOf = async (email: string) => {
  const [row] = await sql<{ id: string }[]>`select id from users where email = ${email}`
  return row!.id
}

test("live reviews that have waited for an hour are mailed to members who may decide them", async () => {
  const of = await team("live")
  await review(of.workspaceId, { opened_at: ago(0.5) })
  expect(await send(of)).toEqual([])
  await review(of.workspaceId, { assignee: await userOf(of.compliance.email) })
  expect(await send(of)).toEqual(["compliance"])
  expect(mail.received[0]!.text).toMatch(/^Subject: .*A review waits/m)
  // A member who asked for a decision waits for the other.
  const asked = { state: "requested", decision: "approve", requested_at: ago(2) }
  await review(of.workspaceId, { ...asked, requested_by: await userOf(of.compliance.email) })
  expect(await send(of)).toEqual(["owner"])
  const test = await team("test")
  await review(test.workspaceId)
  expect(await send(test)).toEqual([])
})

async function request({ workspaceId, owner }: Team, change: Partial<Record<string, unknown>> = {}) {
  const id = newId("apr")
  const by = await userOf(owner.email)
  const row = {
    ...{ workspace_id: workspaceId, id, action: "mint", subject: newId("op"), digest: "d", needed: 1 },
    ...{ request: { mint_config: "fund", amount: "123456789" }, roles: ["owner", "compliance"], requesters: [by] },
    ...{ requester: { kind: "user", id: by, name: "Ada Byron" }, created_at: ago(0), expires_at: ago(-72) },
    ...change,
  }
  await sql`insert into approvals ${sql(row as never)}`
  return id
}

test("a request is mailed at once and once to each member who can approve it, with a link and no more", async () => {
  const of = await team()
  const id = await request(of)
  expect(await send(of)).toEqual(["compliance"])
  const text = textOf(mail.received[0]!.text)
  expect(text).toContain(`${deployment.origin}/${of.workspaceId}/approvals/${id}`)
  expect(text).not.toMatch(/Ada|amount|123456789/)
  expect(await send(of)).toEqual([])
  await wait(48)
  expect(await send(of)).toEqual([])
  await request(of, { requesters: [] })
  expect(await send(of)).toEqual(["owner", "compliance"])
  const given = [{ id: await userOf(of.owner.email), by: "Ada Byron", at: "2026-11-03T09:30:00Z" }]
  await request(of, { requesters: [], needed: 2, given: sql.json(given) })
  await request(of, { expires_at: ago(0), created_at: ago(1) })
  await request(of, { created_at: ago(25) })
  expect(await send(of)).toEqual(["compliance"])
})

test("a request that has ended before its mail is sent is not mailed", async () => {
  const of = await team()
  const id = await request(of)
  await stageNotifications()
  await sql`update approvals set state = 'withdrawn', ended_at = now() where id = ${id}`
  expect(await send(of)).toEqual([])
})

test("former members and unconfirmed addresses get no mail, nor does a kind that is switched off", async () => {
  const of = await team()
  await sql`update users set email_verified = false where email = ${of.owner.email}`
  expect((await of.owner.browser.query("member.notifications")).data).toEqual({
    account: of.account.name,
    kinds: ["webhook_endpoints", "low_sol", "differences", "quota", "review_waiting", "approval_waiting"].map(
      (kind) => ({
        kind,
        on: true,
      }),
    ),
    email_confirmed: false,
  })
  const mute = (muted: NotificationKind[]) => of.developer.browser.mutate("member.muteNotifications", { muted })
  expect((await mute(["webhook_endpoints", "quota"])).data.kinds).toEqual([
    { kind: "webhook_endpoints", on: false },
    { kind: "low_sol", on: true },
    { kind: "differences", on: true },
  ])
  await endpoint(of.workspaceId, { failing_since: ago(30) })
  expect(await send(of)).toEqual([])
  expect((await mute([])).data.kinds[0]).toEqual({ kind: "webhook_endpoints", on: true })
  expect(await send(of)).toEqual(["developer"])
  expect((await of.developer.browser.mutate("member.muteNotifications", { muted: ["weather"] })).status).toBe(422)

  // The mails are staged; before they are sent, one member switches them off and another leaves.
  await mute([])
  await endpoint(of.workspaceId, { failing_since: ago(31) })
  await stageNotifications()
  await mute(["webhook_endpoints"])
  expect(await send(of)).toEqual([])
  await mute([])
  await sql`update members set role = 'viewer' where user_id = ${await userOf(of.developer.email)}`
  expect(await send(of)).toEqual([])
})

test("notifications are dropped after 60 days, and with the person", async () => {
  const of = await team()
  await endpoint(of.workspaceId, { failing_since: ago(30) })
  expect(await send(of)).toEqual(["owner", "developer"])
  const left = async () => {
    const rows = await sql`select user_id from notifications where workspace_id = ${of.workspaceId}`
    return rows.map(({ user_id }) => user_id)
  }
  const developer = await userOf(of.developer.email)
  await sql`delete from users where id = ${await userOf(of.owner.email)}`
  expect(await left()).toEqual([developer])
  await wait(59 * 24)
  await clean()
  expect(await left()).toEqual([developer])
  await wait(24)
  await clean()
  expect(await left()).toEqual([])
})

test("a workspace mails a member five times a day, however often its endpoints are disabled", async () => {
  const of = await team()
  for (let count = 0; count < 7; count += 1)
    await endpoint(of.workspaceId, { disabled_at: ago(1), disabled_reason: "gone" })
  const sent = await send(of)
  expect(sent.filter((role) => role === "owner")).toHaveLength(5)
  expect(sent.filter((role) => role === "developer")).toHaveLength(5)
  expect(await send(of)).toEqual([])
  // On the next day, they get mail again.
  await sql`update mail_counts set day = day - interval '1 day'`
  await wait(24)
  expect((await send(of)).filter((role) => role === "owner")).toHaveLength(2)
})
