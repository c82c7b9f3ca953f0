import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { listAccounts } from "#server/domain/accounts/accounts.ts"
import { listKeys } from "#server/domain/accounts/keys/read.ts"
import { keysKnownTo } from "#server/domain/people/members.ts"
import { listUsers } from "#server/domain/people/people.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { fund } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let ada: Awaited<ReturnType<typeof member>>

usesApp()
beforeAll(async () => {
  ada = await member(app)
})

/** Gives rows of a table old times, each later than the one before it in this order. */
async function age(table: string, column: string, order: readonly string[]): Promise<void> {
  for (const [n, id] of order.entries()) {
    await sql`
      update ${sql(table)} set created_at = now() - interval '1 day' + ${n} * interval '1 minute'
      where ${sql(column)} = ${id}`
  }
}

/** Neither in order of creation nor of ids, so that no list is right by chance. */
const shuffled = (ids: readonly string[]): string[] => {
  const [first, second, ...rest] = [...ids].sort()
  return [second!, ...rest, first!]
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

test("lists of the API are newest first", async () => {
  const key = await app.key()
  const get = async (path: string) => idsOf((await app.request({ method: "GET", path, key: key.apiKey })).json.data)
  const post = (path: string, json: object) => app.request({ method: "POST", path, key: key.apiKey, json })
  for (const id of ["c_third", "a_first", "b_second"]) await post("/mint-configs", fund(id))
  for (let n = 0; n < 3; n++) await post("/kyc/start", { userPubkey: newWallet(), schemaId: "kyc_individual_v1" })
  for (const [path, table] of [
    ["/mint-configs", "mint_configs"],
    ["/schemas", "schemas"],
  ] as const) {
    const order = shuffled(await get(path))
    expect(order.length).toBeGreaterThan(2)
    await age(table, "id", order)
    expect(await get(path)).toEqual(order.toReversed())
  }
  const rows = await sql<{ id: string }[]>`
    select id from attestations where workspace_id = ${key.workspaceId} order by seq`
  const listed = (await app.request({ method: "GET", path: "/attestations", key: key.apiKey })).json.data
  expect(listed.map((one: { attestation_id: string }) => one.attestation_id)).toEqual(idsOf(rows).toReversed())
})

test("lists of the dashboard are newest first", async () => {
  const { browser, account } = ada
  const make = async (times: number, one: (n: number) => Promise<unknown>) => {
    for (let n = 0; n < times; n++) await one(n)
  }
  await make(3, (n) => browser.mutate("key.create", { name: `key ${n}`, scopes: ["kyc:read"] }))
  const keys = async () => (await browser.query("key.list")).data.data.map((one: { key_id: string }) => one.key_id)
  const order = shuffled(await keys())
  expect(order.length).toBeGreaterThan(2)
  await age("api_keys", "id", order)
  expect(await keys()).toEqual(order.toReversed())
  const { user } = (await browser.query("me.get")).data
  const known = await keysKnownTo(sql, account.id, user.id)
  expect(known.map(({ key_id }) => key_id)).toEqual(order.toReversed())
  const everywhere = await listKeys({ account: account.name })
  expect(everywhere.map(({ key_id }) => key_id)).toEqual(order.toReversed())

  const schemas = async () => idsOf((await browser.query("schema.summary")).data.data)
  const ofSchemas = shuffled(await schemas())
  await age("schemas", "id", ofSchemas)
  expect(await schemas()).toEqual(ofSchemas.toReversed())

  await make(2, () => member(app, { account, role: "viewer" }))
  await make(3, (n) => browser.mutate("member.invite", { role: "viewer", email: `invited${n}@example.com` }))
  const people = async () => (await browser.query("member.list")).data
  const members = shuffled((await people()).members.map((one: { user_id: string }) => one.user_id))
  await age("members", "user_id", members)
  const invitations = shuffled(idsOf((await people()).invitations))
  expect([members.length, invitations.length]).toEqual([3, 3])
  await age("invitations", "id", invitations)
  const after = await people()
  expect(after.members.map((one: { user_id: string }) => one.user_id)).toEqual(members.toReversed())
  expect(idsOf(after.invitations)).toEqual(invitations.toReversed())
})

test("lists of the command line are newest first", async () => {
  for (let n = 0; n < 2; n++) await member(app)
  const accounts = async () => (await listAccounts()).map(({ account_id }) => account_id)
  const order = shuffled(await accounts())
  expect(order.length).toBeGreaterThan(2)
  await age("accounts", "id", order)
  expect(await accounts()).toEqual(order.toReversed())
  const emails = async () => (await listUsers()).map(({ email }) => email)
  const users = shuffled(await emails())
  expect(users.length).toBeGreaterThan(2)
  await age("users", "email", users)
  expect(await emails()).toEqual(users.toReversed())
})
