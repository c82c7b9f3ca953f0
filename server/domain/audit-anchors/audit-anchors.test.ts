import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { verifyAuditLog } from "#client/index.ts"
import { sql } from "#db/client.ts"
import { setBudget } from "#domain/accounts"
import { deployment } from "#domain/deployment"
import { authorityPurpose } from "#server/solana/keys.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { exportedLog, untilLinked } from "#test/fixtures/audit-chain.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { commandSettings, runCommandOnApp } from "#test/fixtures/vouch-command.ts"
import { anchorAuditLogs } from "./anchor-audit-logs.ts"

usesApp()
const { VOUCH_DATA_DIR: folder } = commandSettings()

let owner: Awaited<ReturnType<typeof member>>
let workspaceId: string
let issuer: string

beforeAll(async () => {
  owner = await member(app)
  workspaceId = owner.workspaceId
  issuer = deployment.keys(authorityPurpose(workspaceId)).publicKey.toBase58()
  const key = await app.key({ account: owner.account })
  // A first transaction.
  await tokenFixture(app, key).config()
  await app.verifiedWallet(key)
})

const newKey = () => owner.browser.mutate("key.create", { name: "Reader", scopes: ["kyc:read"] })

type Anchor = { id: string; place: bigint; signature: string | null; state: string }
const anchors = () => sql<Anchor[]>`
  select id, place, signature, state from audit_anchors where workspace_id = ${workspaceId} order by created_at`
const untilLanded = () =>
  waitFor(async () => {
    const all = await anchors()
    return all.every(({ signature }) => signature !== null) && all
  }, "every anchor to land")
const headOf = async () => {
  const [row] = await sql<{ place: bigint }[]>`
    select max(place) as place from audit_links where workspace_id = ${workspaceId}`
  return row!.place
}
/** Some passes at the same time, with everything linked. It is tomorrow, so every entry is of an earlier day. */
async function pass(times = 1): Promise<Anchor[]> {
  await untilLinked()
  await advanceClock({ days: 1 })
  await Promise.all(Array.from({ length: times }, () => anchorAuditLogs()))
  await restoreClock()
  return untilLanded()
}
/** What was anchored tomorrow was anchored today. */
const nextDay = () => sql`update audit_anchors set created_at = created_at - interval '1 day'`

test("the newest hash is put on chain once a day, and an auditor verifies the export by it", async () => {
  await newKey()
  const [first, ...others] = await pass()
  expect(others).toEqual([])
  expect(first!.place).toBe(await headOf())
  await newKey()
  // Newer entries wait for the next day.
  expect(await pass()).toHaveLength(1)
  const { data: proof } = await owner.browser.query("audit.proof")
  expect(proof.anchor).toMatchObject({ place: Number(first!.place), transaction: first!.signature })
  const csv = await exportedLog(owner.browser)
  const answer = await verifyAuditLog(app.connection, { issuer, csv })
  expect(answer).toMatchObject({
    verified: true,
    breaks: [],
    proven: [{ from: 1, to: Number(first!.place), anchor: { id: first!.id, transaction: first!.signature } }],
    unproven: [{ from: Number(first!.place) + 1, to: Number(first!.place) + 1 }],
  })
  await nextDay()
  const [, second] = await pass()
  expect(second!.place).toBe(first!.place + 1n)
  expect(await verifyAuditLog(app.connection, { issuer, csv })).toMatchObject({
    ...{ verified: true, proven: [{}, { to: Number(second!.place), anchor: { id: second!.id } }], unproven: [] },
  })
})

test("a day without a new entry costs nothing, however many processes look", async () => {
  await newKey()
  await nextDay()
  const before = (await anchors()).length
  const after = await pass(3)
  expect(after).toHaveLength(before + 1)
  await nextDay()
  expect(await pass()).toEqual(after)
  const operations = await sql`
    select status from operations where workspace_id = ${workspaceId} and kind = 'anchor_audit_log'`
  expect(operations.map(({ status }) => status)).toEqual(after.map(() => "confirmed"))
})

test("a workspace that has never sent a transaction is not anchored", async () => {
  const stranger = await member(app)
  const { workspaces } = owner.account
  await pass()
  const links = await sql`select from audit_links where workspace_id = ${workspaces.live}`
  expect(links.length).toBeGreaterThan(0)
  expect(await sql`select from audit_anchors where workspace_id = ${workspaces.live}`).toEqual([])
  expect((await stranger.browser.query("audit.proof")).data).toEqual({ anchor: null })
})

test("a workspace over its SOL budget or in quarantine waits", async () => {
  await newKey()
  await nextDay()
  const before = await pass()
  await newKey()
  await nextDay()
  await setBudget(owner.account.name, "test", 0n)
  expect(await pass()).toEqual(before)
  await setBudget(owner.account.name, "test", null)
  await sql`insert into quarantines (workspace_id, since, differences) values (${workspaceId}, now(), '[]')`
  expect(await pass()).toEqual(before)
  await sql`delete from quarantines where workspace_id = ${workspaceId}`
  expect(await pass()).toHaveLength(before.length + 1)
})

test("the command verifies a file without the deployment, and shows where it was changed", async () => {
  await newKey()
  await nextDay()
  await pass()
  const file = join(folder, "audit.csv")
  const csv = await exportedLog(owner.browser)
  const verify = (text: string) => {
    writeFileSync(file, text)
    return runCommandOnApp("audit", "verify", file, "--issuer", issuer, "--rpc", app.chain.url)
  }
  const sound = await verify(csv)
  expect(sound).toMatchObject({ exitCode: 0, stderr: "" })
  expect(sound.stdout).toMatch(
    /^The file has entries 1 to \d+\.\nproven: entries 1 to \d+, by the anchor of entry \d+ of /,
  )
  expect(sound.stdout).toMatch(/\nVerified\.\n$/)
  const changed = await verify(csv.replace("key.created", "key.revoked"))
  expect(changed.exitCode).toBe(1)
  expect(changed.stdout).toMatch(/BREAK at entry \d+: it was changed/)
  expect(changed.stdout).toMatch(/\nNot verified\.\n$/)
  expect(await verify("a,b\n1,2\n")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("no column place") })
  const absent = await runCommandOnApp("audit", "verify", "none.csv", "--issuer", issuer, "--rpc", "http://x")
  expect(absent).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("none.csv: cannot be read") })
})
