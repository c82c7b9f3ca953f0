import { beforeAll, expect, test, vi } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { logger } from "#server/lib/log.ts"
import type { Role } from "#shared/roles.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// The page of an investor, and what each role can do there.

let account: Awaited<ReturnType<typeof member>>["account"]
let workspaceId: string
let key: TestKey
const people = {} as Record<Role, Browser>

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  account = owner.account
  workspaceId = owner.workspaceId
  key = await app.key({ account })
  people.owner = owner.browser
  for (const role of ["developer", "compliance", "viewer"] as const)
    people[role] = (await member(app, { account, role })).browser
})

async function start(externalId?: string, wallet = newWallet(), schemaId = "kyc_individual_v1") {
  const json = { userPubkey: wallet, schemaId, ...(externalId && { externalId }) }
  const started = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  return { wallet, sessionId: started.json.session_id as string }
}
const say = (session_id: string, decision: string, claims = {}) => app.webhook({ session_id, decision, claims })
const idOf = async (wallet: string): Promise<string> =>
  (await app.request({ method: "GET", path: `/investors?wallet=${wallet}`, key: key.apiKey })).json.data[0].investor_id
const auditOf = (subject: string) => sql`
  select action, actor, actor_name, detail from audit_entries
  where workspace_id = ${workspaceId} and subject = ${subject} and action <> 'session.started' order by seq`
const code = (answer: { error?: { error: string } }) => answer.error?.error

async function search(input: object = {}) {
  const { data, error } = await people.viewer.query("investor.search", input)
  expect(error).toBeUndefined()
  return data as { data: { external_id: string | null; wallets: string[]; statuses: string[] }[] }
}
const names = async (input: object) => (await search(input)).data.map((one) => one.external_id)

test("the list has each person once for the status of their verifications, with the status of all of them now", async () => {
  const [ann, ben, cleo] = [`ann-${newId("evt")}`, `ben-${newId("evt")}`, `cleo-${newId("evt")}`]
  const first = await start(ann)
  await say(first.sessionId, "rejected")
  await start(ben)
  const second = await start(ann, undefined, "kyc_business_v1")
  const third = await start(cleo)
  await say(third.sessionId, "rejected")
  await start(ann, first.wallet)
  const all = (await search()).data.filter((one) => [ann, ben, cleo].includes(one.external_id ?? ""))
  expect(all).toMatchObject([
    { external_id: ann, wallets: [first.wallet, second.wallet], statuses: ["pending"] },
    { external_id: cleo, statuses: ["rejected"] },
    { external_id: ben, statuses: ["pending"] },
  ])
  const of = (found: (string | null)[]) => found.filter((one) => [ann, ben, cleo].includes(one ?? ""))
  expect(of(await names({ status: "rejected" }))).toEqual([cleo, ann])
  expect(of(await names({ status: "pending" }))).toEqual([ann, ben])
  expect(of(await names({ schema: "kyc_business_v1" }))).toEqual([ann])
  expect(of(await names({ schema: "kyc_business_v1", status: "rejected" }))).toEqual([])
  expect(await names({ q: ann.slice(0, -2) })).toEqual([ann])
  expect(await names({ q: second.wallet })).toEqual([ann])
  expect(await names({ q: await idOf(second.wallet) })).toEqual([ann])
  expect(await names({ q: "unknown-name" })).toEqual([])
  expect(code(await people.viewer.query("investor.search", { schema: "mistyped" }))).toBe("unknown_schema")
  expect(code(await people.viewer.query("investor.search", { cursor: "x" }))).toBe("validation_failed")
})

test("the list's pages have every person once", async () => {
  const own = await member(app)
  const apiKey = (await app.key({ account: own.account })).apiKey
  const wallets = Array.from({ length: 60 }, newWallet)
  for (const [n, wallet] of wallets.entries()) {
    for (const schemaId of ["kyc_individual_v1", "kyc_business_v1"].slice(0, 1 + (n % 2))) {
      const json = { userPubkey: wallet, schemaId }
      await app.request({ method: "POST", path: "/kyc/start", key: apiKey, json })
    }
  }
  const first = (await own.browser.query("investor.search")).data
  const second = (await own.browser.query("investor.search", { cursor: first.next_cursor })).data
  const found = [...first.data, ...second.data].map((one: { wallets: string[] }) => one.wallets[0])
  expect(found).toEqual(wallets.toReversed())
  expect([first.data.length, second.next_cursor]).toEqual([50, null])
})

test("expired verifications are found before a sweep", async () => {
  const name = newId("evt")
  const { sessionId } = await start(name)
  await sql`update attestations set open_until = now() - interval '1 hour' where session_id = ${sessionId}`
  expect(await names({ q: name, status: "expired" })).toEqual([name])
  expect((await search({ q: name })).data[0]!.statuses).toEqual(["expired"])
})

test("verifications that contradict each other are named to those who may see claims, without values", async () => {
  const name = newId("evt")
  const [one, two] = [await start(name), await start(name)]
  await say(one.sessionId, "approved", { country: "US", accredited: true })
  await say(two.sessionId, "approved", { country: "CA", accredited: true })
  for (const { wallet } of [one, two]) await app.waitForStatus(key, wallet, "verified")
  const id = await idOf(one.wallet)
  const { data } = await people.owner.query("investor.view", { id })
  expect(data.contradicting).toEqual(["country"])
  expect(JSON.stringify(data)).not.toMatch(/"US"|"CA"/)
  expect((await people.viewer.query("investor.view", { id })).data.contradicting).toEqual([])
  // One that has ended contradicts nothing.
  const [{ attestation_id }] = data.wallets.flatMap(({ states }: { states: object[] }) => states)
  await people.owner.mutate("attestation.revoke", { id: attestation_id, reason: "Moved to Canada" })
  expect((await people.owner.query("investor.view", { id })).data.contradicting).toEqual([])
})

test("the page has every wallet with its statuses, tokens by wallet and in total, and the timeline", async () => {
  const tokens = tokenFixture(app, key)
  const [config, name] = [await tokens.config(), newId("evt")]
  const one = await start(name)
  const two = await start(name)
  for (const { wallet, sessionId } of [one, two]) {
    await say(sessionId, "approved", { country: "US" })
    await app.waitForStatus(key, wallet, "verified")
  }
  for (const [wallet, amount] of [
    [one.wallet, "10"],
    [two.wallet, "2"],
  ] as const)
    expect((await tokens.mint(config, wallet, amount)).status).toBe(200)
  const refused = await start(name, two.wallet, "kyc_business_v1")
  await say(refused.sessionId, "rejected")
  const { data } = await people.viewer.query("investor.view", { id: await idOf(one.wallet) })
  expect(data).toMatchObject({ external_id: name, erased_at: null, has_claims: true, chain_answered: true })
  expect(data.wallets).toMatchObject([
    {
      user_pubkey: two.wallet,
      states: [
        { schema: "kyc_business_v1", status: "rejected", expires_at: null },
        { schema: "kyc_individual_v1", status: "verified", expires_at: expect.any(String) },
      ],
    },
    { user_pubkey: one.wallet, states: [{ schema: "kyc_individual_v1", status: "verified" }] },
  ])
  expect(data.tokens).toMatchObject([
    {
      mint_config: config,
      required_schema: "kyc_individual_v1",
      transfer_mode: "agent",
      total: "12",
      wallets: [
        { user_pubkey: two.wallet, balance: "2", account: "frozen", standing: { status: "verified" } },
        { user_pubkey: one.wallet, balance: "10", account: "frozen", standing: { status: "verified" } },
      ],
    },
  ])
  const [listed] = (await search({ q: name })).data
  const ends = data.wallets.flatMap((wallet: { states: { expires_at: string | null }[] }) =>
    wallet.states.flatMap((state) => state.expires_at ?? []),
  )
  // Both are in one list, under the soonest of their expiries.
  expect(listed).toMatchObject({ holdings: [{ mint_config: config, amount: "12" }], expires_at: ends.toSorted()[0] })
  const events = data.timeline.map((event: { event: string }) => event.event)
  expect(events.at(-1)).toBe("first_seen")
  for (const event of ["started", "wallet_added", "approved", "verified", "rejected"]) expect(events).toContain(event)
  expect(JSON.stringify(data)).not.toMatch(/"US"|country/)

  // A wallet that is no longer verified says since when, by the schema that the token requires.
  const { attestation_id: ended } = data.wallets[1].states[0]
  await people.owner.mutate("attestation.revoke", { id: ended, reason: "Left" })
  const { data: after } = await people.viewer.query("investor.view", { id: await idOf(one.wallet) })
  expect(after.tokens[0].wallets).toMatchObject([
    { user_pubkey: two.wallet, standing: { status: "verified" } },
    { user_pubkey: one.wallet, standing: { status: "revoked", at: expect.any(String) } },
  ])
  await start(name, one.wallet)
  const { data: again } = await people.viewer.query("investor.view", { id: await idOf(one.wallet) })
  const pending = { user_pubkey: one.wallet, standing: { status: "pending", at: null } }
  expect(again.tokens[0].wallets).toContainEqual(expect.objectContaining(pending))

  const operations = await people.viewer.query("investor.operations", { id: await idOf(one.wallet) })
  expect(operations.data.data.map((operation: { amount: string }) => operation.amount)).toEqual(["2", "10"])
  const verifications = await people.viewer.query("attestation.search", { investor: await idOf(one.wallet) })
  expect(verifications.data.data).toHaveLength(4)
})

test("refusals include those by a rule and later failures, of all wallets and of no other investor", async () => {
  const tokens = tokenFixture(app, key)
  const config = await tokens.config({ allowed_countries: ["CA"] })
  const [name, other] = [newId("evt"), newWallet()]
  const { wallet, sessionId } = await start(name)
  await say(sessionId, "approved", { country: "US" })
  await app.waitForStatus(key, wallet, "verified")
  const answers = [await tokens.mint(config, wallet, "3"), await tokens.mint(config, other, "4")]
  expect(answers.map((one) => one.status)).toEqual([403, 403])
  const failed = newId("op")
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, error_code,
      error_detail, created_at, finished_at)
    values (${workspaceId}, ${failed}, 'mint', 'failed', '{"amount":"5000000"}', '{}', '{}', ${config}, ${wallet},
      'wallet_not_verified', 'x', now() - interval '1 hour', now() - interval '1 hour')`
  const id = await idOf(wallet)
  const refusals = async () => (await people.viewer.query("investor.refusals", { id })).data.data
  // The log is written within about a second.
  await expect.poll(async () => (await refusals()).length).toBe(2)
  const found = await refusals()
  expect(found).toMatchObject([
    { what: "mint", error: "country_not_allowed", mint_config: config, amount: "3", operation_id: null },
    { what: "mint", error: "wallet_not_verified", detail: "x", operation_id: failed, request_id: null },
  ])
  expect(found[0].request_id).toMatch(/^req_/)
  expect(JSON.stringify(found)).not.toMatch(/\bUS\b/)
})

test("only permitted members see claims, and the audit log has every view without the values", async () => {
  const name = newId("evt")
  const { wallet, sessionId } = await start(name)
  await say(sessionId, "approved", { country: "LI", accredited: true })
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  const id = await idOf(wallet)
  for (const role of ["viewer", "developer"] as const) {
    expect(code(await people[role].mutate("investor.viewClaims", { id }))).toBe("insufficient_scope")
    expect(code(await people[role].query("investor.notes", { id }))).toBe("insufficient_scope")
  }
  expect(await auditOf(attestation_id)).toHaveLength(0)
  for (const role of ["compliance", "owner"] as const) {
    const { data } = await people[role].mutate("investor.viewClaims", { id })
    expect(data.data).toMatchObject([{ attestation_id, claims: { country: "LI", accredited: true } }])
  }
  const entries = [...(await auditOf(attestation_id))]
  expect(entries).toMatchObject(
    ["The compliance", "The owner"].map((actor_name) => ({
      action: "claims.viewed",
      actor: "user",
      actor_name,
      detail: { investor: id, claims: ["accredited", "country"] },
    })),
  )
  expect(JSON.stringify(entries)).not.toContain("LI")
})

test("an unknown country code is shown at the approval, and logged without the code", async () => {
  const { wallet, sessionId } = await start()
  const warned = vi.spyOn(logger, "warn")
  await say(sessionId, "approved", { country: "XXA", age_over_18: true })
  const logged = JSON.stringify(warned.mock.calls)
  expect(logged).toContain("an unknown country code")
  expect(logged).not.toContain("XXA")
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  const { data } = await people.compliance.mutate("investor.viewClaims", { id: await idOf(wallet) })
  expect(data.data[0].claims).toEqual({ unknown_country: "XXA", age_over_18: true })
  const detail = await people.viewer.query("attestation.detail", { id: attestation_id })
  expect(detail.data.country_unknown).toBe(true)
  expect(JSON.stringify(detail.data)).not.toContain("XXA")

  const known = await start()
  await say(known.sessionId, "approved", { country: "RKS" })
  const { attestation_id: other } = await app.waitForStatus(key, known.wallet, "verified")
  expect((await people.viewer.query("attestation.detail", { id: other })).data.country_unknown).toBe(false)
})

test("claims of a held approval are shown as well", async () => {
  const { wallet, sessionId } = await start()
  await sql`update attestations set wallet_proof_required = true where session_id = ${sessionId}`
  await say(sessionId, "approved", { country: "LI" })
  const { status, data } = await people.compliance.mutate("investor.viewClaims", { id: await idOf(wallet) })
  expect([status, data.data]).toMatchObject([200, [{ user_pubkey: wallet, claims: { country: "LI" } }]])
})

test("a note shows its author and time, only its author edits it, the author or an owner deletes it, and it is sealed at rest", async () => {
  const { wallet } = await start()
  const id = await idOf(wallet)
  const text = "Called the bank.\nSource of funds: salary. äöü 😀"
  const added = await people.compliance.mutate("investor.addNote", { id, text })
  const { note_id } = added.data
  await people.owner.mutate("investor.addNote", { id, text: "Second" })
  const read = async (by: Browser) => (await by.query("investor.notes", { id })).data.data
  expect(await read(people.compliance)).toMatchObject([
    { text: "Second", author: "The owner", is_own: false, can_delete: false },
    { note_id, text, author: "The compliance", is_own: true, can_delete: true, edited_at: null },
  ])
  expect(await read(people.owner)).toMatchObject([
    { is_own: true, can_delete: true },
    { is_own: false, can_delete: true },
  ])
  const [{ body }] = (await sql`select body from investor_notes where id = ${note_id}`) as unknown as [{ body: Buffer }]
  expect(body.toString("utf8")).not.toContain("bank")

  const edit = (by: Browser, one = note_id) => by.mutate("investor.editNote", { note_id: one, text: "Changed" })
  const remove = (by: Browser, one = note_id) => by.mutate("investor.deleteNote", { note_id: one })
  expect(code(await edit(people.owner))).toBe("insufficient_scope")
  expect((await edit(people.compliance)).status).toBe(200)
  expect((await read(people.owner))[1]).toMatchObject({ text: "Changed", edited_at: expect.any(String) })
  const [second] = await read(people.owner)
  expect(code(await remove(people.compliance, second.note_id))).toBe("insufficient_scope")
  for (const by of [people.developer, people.viewer]) {
    expect(code(await by.mutate("investor.addNote", { id, text }))).toBe("insufficient_scope")
    expect(code(await edit(by))).toBe("insufficient_scope")
    expect(code(await remove(by))).toBe("insufficient_scope")
  }
  expect((await remove(people.owner)).status).toBe(200)
  expect(code(await remove(people.owner))).toBe("note_not_found")
  expect(code(await edit(people.compliance, "note_x"))).toBe("note_not_found")
  expect(await read(people.owner)).toHaveLength(1)

  const entries = [...(await auditOf(id))]
  expect(entries.map((one) => [one.action, one.actor_name])).toEqual([
    ["investor.note_added", "The compliance"],
    ["investor.note_added", "The owner"],
    ["investor.note_edited", "The compliance"],
    ["investor.note_deleted", "The owner"],
  ])
  expect(JSON.stringify(entries)).not.toMatch(/bank|Changed|Second/)
})

test.each([
  ["nothing", "", "must not be empty"],
  ["blanks", " \n ", "must not be empty"],
  ["2001 characters", "x".repeat(2001), "must be at most 2000 characters"],
  ["a bell", "a\u0007b", "must not contain control characters"],
])("an invalid note is refused, and the error names the field: %s", async (_what, text, why) => {
  const { wallet } = await start()
  const { status, error } = await people.owner.mutate("investor.addNote", { id: await idOf(wallet), text })
  expect([status, error.detail]).toEqual([422, expect.stringContaining(`text: ${why}`)])
})

test("notes move with an investor who is merged into another, even a note written at the same time", async () => {
  for (let round = 0; round < 5; round++) {
    const [name, theirs] = [newId("evt"), newWallet()]
    await start(name, theirs)
    const { wallet } = await start()
    const id = await idOf(wallet)
    await people.owner.mutate("investor.addNote", { id, text: "before" })
    await Promise.all([start(name, wallet), people.owner.mutate("investor.addNote", { id, text: "later" })])
    const { data } = await people.owner.query("investor.notes", { id: await idOf(theirs) })
    expect(data.data.map((note: { text: string }) => note.text)).toEqual(["later", "before"])
  }
})

test("no note can be added to an erased person, nor during the erasure", async () => {
  const { wallet } = await start()
  const id = await idOf(wallet)
  const path = `/investor/${id}/erase`
  const [, ...notes] = await Promise.all([
    app.request({ method: "POST", path, key: key.apiKey, json: {} }),
    ...Array.from({ length: 5 }, () => people.owner.mutate("investor.addNote", { id, text: "later" })),
  ])
  notes.push(await people.owner.mutate("investor.addNote", { id, text: "later" }))
  for (const { status } of notes) expect([200, 422]).toContain(status)
  expect(notes.at(-1)!.error).toMatchObject({
    error: "validation_failed",
    detail: expect.stringContaining("erased"),
  })
  expect((await people.owner.query("investor.notes", { id })).data.data).toEqual([])
})

test("an investor has at most 500 notes", async () => {
  const { wallet } = await start()
  const id = await idOf(wallet)
  await sql`
    insert into investor_notes (workspace_id, id, investor_id, body, author_id, author_name, created_at)
    select ${workspaceId}, 'note_' || n || ${id}, ${id}, '', 'x', 'x', now() from generate_series(1, 500) n`
  const { error } = await people.owner.mutate("investor.addNote", { id, text: "one more" })
  expect(error).toMatchObject({ error: "validation_failed" })
})

test("another workspace's investor and notes are not found by any request", async () => {
  const { wallet } = await start()
  const id = await idOf(wallet)
  const { note_id } = (await people.owner.mutate("investor.addNote", { id, text: "mine" })).data
  const stranger = (await member(app)).browser
  for (const [ask, input] of [
    ["view", { id }],
    ["operations", { id }],
    ["refusals", { id }],
    ["notes", { id }],
  ] as const)
    expect(code(await stranger.query(`investor.${ask}`, input)), ask).toBe("investor_not_found")
  for (const ask of ["viewClaims", "addNote"])
    expect(code(await stranger.mutate(`investor.${ask}`, { id, text: "x" })), ask).toBe("investor_not_found")
  expect(code(await stranger.mutate("investor.editNote", { note_id, text: "x" }))).toBe("note_not_found")
  expect(code(await stranger.mutate("investor.deleteNote", { note_id }))).toBe("note_not_found")
  expect((await stranger.query("attestation.search", { investor: id })).data.data).toEqual([])
  expect((await stranger.query("investor.search", { q: id })).data.data).toEqual([])
})
