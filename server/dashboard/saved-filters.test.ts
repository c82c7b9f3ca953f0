import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { MOST_SAVED_FILTERS } from "#shared/saved-filters.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

const save = (by: Browser, name: string, filter: object = { status: "pending" }, list = "attestations") =>
  by.mutate("savedFilter.save", { list, name, filter })

async function saved(by: Browser, list = "attestations") {
  const { data } = await by.query("savedFilter.list", { list })
  return data.data as { id: string; name: string; filter: Record<string, string> }[]
}
const names = async (by: Browser, list?: string) => (await saved(by, list)).map(({ name }) => name)

test("a filter is saved for one list, found by name, renamed and deleted", async () => {
  const { browser } = await member(app)
  await save(browser, "Waiting", { status: "pending", q: "fund-" })
  await save(browser, "expiring", { expiring: "30" })
  await save(browser, "Mints", { action: "token." }, "audit")
  const [expiring, waiting] = await saved(browser)
  expect([expiring, waiting]).toMatchObject([
    { name: "expiring", filter: { expiring: "30" } },
    { name: "Waiting", filter: { status: "pending", q: "fund-" } },
  ])
  expect(await names(browser, "audit")).toEqual(["Mints"])
  expect((await browser.mutate("savedFilter.rename", { id: waiting!.id, name: "Open" })).status).toBe(200)
  await browser.mutate("savedFilter.remove", { id: expiring!.id })
  expect(await names(browser)).toEqual(["Open"])
})

test("only its owner sees, renames or deletes a filter, and only in its workspace", async () => {
  const { browser, account } = await member(app)
  await save(browser, "Mine")
  const { id } = (await saved(browser))[0]!
  const colleague = (await member(app, { role: "viewer", account })).browser
  const elsewhere = (await member(app)).browser
  for (const other of [colleague, elsewhere]) {
    expect(await names(other)).toEqual([])
    const { error } = await other.mutate("savedFilter.rename", { id, name: "Theirs" })
    expect(error.error).toBe("saved_filter_not_found")
    await other.mutate("savedFilter.remove", { id })
  }
  browser.workspaceId = account.workspaces.live
  expect(await names(browser)).toEqual([])
  browser.workspaceId = account.workspaces.test
  expect(await names(browser)).toEqual(["Mine"])
  // A viewer cannot change the workspace, but has their own filters.
  expect((await save(colleague, "Mine")).status).toBe(200)
})

test("a member's filter names are unique per list", async () => {
  const { browser } = await member(app)
  const taken = "name: you already have a filter with this name. Choose another name."
  await save(browser, "A")
  await save(browser, "B")
  expect((await save(browser, "A")).error.detail).toBe(taken)
  const [, b] = await saved(browser)
  expect((await browser.mutate("savedFilter.rename", { id: b!.id, name: "A" })).error.detail).toBe(taken)
  expect((await save(browser, "A", { q: "x" }, "investors")).status).toBe(200)
  expect((await save(browser, " ")).error.error).toBe("validation_failed")
  expect((await save(browser, "C", {})).error.detail).toBe("filter: must not be empty.")
  expect((await save(browser, "C", { q: "x".repeat(201) })).error.error).toBe("validation_failed")
  expect((await save(browser, "C", { q: "x" }, "nowhere")).error.error).toBe("validation_failed")
})

test("a list keeps at most twenty filters, even if more are saved at once", async () => {
  const { browser } = await member(app)
  const answers = await Promise.all(
    Array.from({ length: MOST_SAVED_FILTERS + 3 }, (_, n) => save(browser, `Filter ${n}`)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MOST_SAVED_FILTERS)
  expect(answers.find(({ error }) => error)!.error.detail).toBe("name: a list keeps 20 filters. Delete one first.")
  expect(await names(browser)).toHaveLength(MOST_SAVED_FILTERS)
})

test("filters are deleted with the member who leaves, and with the investor they search for", async () => {
  const owner = await member(app)
  const { browser, email } = await member(app, { role: "viewer", account: owner.account })
  await save(browser, "Mine")
  const [{ id }] = await sql<[{ id: string }]>`select id from users where email = ${email}`
  expect((await owner.browser.mutate("member.remove", { user_id: id })).status).toBe(200)
  expect(await sql`select from saved_filters where user_id = ${id}`).toEqual([])

  const key = await app.key({ account: owner.account })
  const wallet = newWallet()
  await app.request({
    ...{ method: "POST", path: "/kyc/start", key: key.apiKey },
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: "Jane-4711" },
  })
  await save(owner.browser, "Jane", { q: "jane-4711" })
  await save(owner.browser, "Her wallet", { q: wallet, status: "pending" }, "investors")
  await save(owner.browser, "All of the fund", { q: "fund-" })
  const erased = await owner.browser.mutate("erasure.wallet", { pubkey: wallet })
  expect(erased.error).toBeUndefined()
  expect(await names(owner.browser)).toEqual(["All of the fund"])
  expect(await names(owner.browser, "investors")).toEqual([])
})

test("an erasure deletes searches for words of the person's external id, but not words that others have too", async () => {
  const owner = await member(app)
  const key = await app.key({ account: owner.account })
  const start = async (externalId: string) => {
    const userPubkey = newWallet()
    const json = { userPubkey, schemaId: "kyc_individual_v1", externalId }
    await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
    return userPubkey
  }
  const wallet = await start("zacharias-quimby-77")
  await start("Anna-Quimby")
  await sql`
    insert into bulk_revocations
      (workspace_id, id, reason, attestations, filter, seen, author_id, author_name, request_id, created_at, ended_at)
    values (${key.workspaceId}, ${newId("blk")}, null, 1, '{"q": "zach", "status": "verified"}', 1, 'x', 'x', 'req_x', now(), now())`
  for (const q of ["zacharias", "QUIMBY zacharias", "quimby-77", "zach", "zacharias quimby anna", "quimby"])
    await save(owner.browser, q, { q })
  await save(owner.browser, "Verified", { status: "verified" })
  const erased = await owner.browser.mutate("erasure.wallet", { pubkey: wallet })
  expect(erased.error).toBeUndefined()
  expect(await names(owner.browser)).toEqual(["quimby", "Verified", "zacharias quimby anna"])
  const [list] = await sql`select filter from bulk_revocations where workspace_id = ${key.workspaceId}`
  expect(list).toEqual({ filter: { q: "(not recorded)", status: "verified" } })
})
