import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { eraseWallet } from "#domain/privacy"
import type { Address } from "#shared/address.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { reversalReview, vendorReview } from "#test/fixtures/reviews.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let owner: Awaited<ReturnType<typeof member>>
let key: TestKey

usesApp()
beforeAll(async () => {
  owner = await member(app)
  key = await app.key({ account: owner.account })
})

type Found = { kind: string; name: string; more: string | null; statuses?: string[]; path: string[] }
const find = async (text: string, by = owner): Promise<Found[]> => {
  const { data, error } = await by.browser.query("find.all", { text })
  expect(error).toBeUndefined()
  return data.data
}
const paths = async (text: string, by = owner) => (await find(text, by)).map(({ path }) => path.join("/"))

test("ids, wallets and signatures lead to their pages, and those of another workspace to none", async () => {
  const tokens = tokenFixture(app, key)
  const [wallet] = await tokens.wallets(1)
  const config = await tokens.config()
  const { json: minted } = await tokens.mint(config, wallet!, "5")
  const [attestation] = await sql<{ id: string; session_id: string; investor_id: string }[]>`
    select id, session_id, investor_id from attestations where workspace_id = ${owner.workspaceId} and wallet = ${wallet!}`
  const { id, session_id, investor_id } = attestation!
  const operation = `tokens/${minted.mint_config}/operations/${minted.operation_id}`
  const event = await waitFor(async () => {
    const [row] = await sql<{ id: string }[]>`
      select id from events where workspace_id = ${owner.workspaceId} order by sequence limit 1`
    return row?.id
  }, "an event")
  const cases: Record<string, string> = {
    [id]: `attestations/${id}`,
    [session_id]: `attestations/${id}`,
    [investor_id]: `investors/${investor_id}`,
    [wallet!]: `investors/${investor_id}`,
    [wallet!.slice(0, 8)]: `investors/${investor_id}`,
    [minted.operation_id]: operation,
    [minted.onchain_tx]: operation,
    [event!]: `events/${event}`,
    [key.keyId]: "keys",
  }
  const stranger = await member(app)
  for (const [text, path] of Object.entries(cases)) {
    expect([text, await paths(text)]).toEqual([text, [path]])
    expect([text, await paths(text, stranger)]).toEqual([text, []])
  }
  expect(await paths(newWallet())).toEqual([])
})

test("names are found by a part in any case, and pattern characters are literal", async () => {
  const { workspaceId } = owner
  await sql`update mint_configs set name = 'Hundred % Green_Fund', symbol = 'GRN'
    where workspace_id = ${workspaceId} and id = 'us_real_estate_fund_v1'`
  const token = (await find("green_fund"))[0]!
  expect(token).toMatchObject({ kind: "token", name: "Hundred % Green_Fund" })
  expect((await find("grn"))[0]!.path).toEqual(token.path)
  expect(await paths("% green")).toEqual([token.path.join("/")])
  for (const none of ["green%fund", "greenxfund", "%%", "__"]) expect([none, await paths(none)]).toEqual([none, []])
  expect((await find("KYC_INDIV")).map(({ kind }) => kind)).toContain("schema")
  expect(await find(owner.email.slice(0, 12).toUpperCase())).toEqual([
    { kind: "member", name: "The owner", more: owner.email, path: ["settings"] },
  ])
})

test("only members who decide reviews can find a review", async () => {
  const { reviewId: id, wallet } = await vendorReview(app, key, { reason: "Address: older than three months" })
  const name = `Address: older than three months · ${wallet}`
  expect(await find(id)).toEqual([{ kind: "review", name, more: id, path: ["reviews", id] }])
  const viewer = await member(app, { account: owner.account, role: "viewer" })
  expect(await paths(id, viewer)).toEqual([])
})

test("remembered ids are named again, without erased people and those of other workspaces", async () => {
  const named = async (ids: string[], by = owner) => {
    const { data, error } = await by.browser.query("find.named", { ids })
    expect(error).toBeUndefined()
    return (data.data as Found[]).map(({ path, name }) => [path.join("/"), name])
  }
  const [kept, gone] = [newWallet(), newWallet()]
  for (const [wallet, externalId] of [
    [kept, "emma-kept"],
    [gone, "emma-gone"],
  ]) {
    const json = { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId }
    expect((await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })).status).toBe(200)
  }
  const rows = await sql<{ wallet: string; id: string; investor_id: string }[]>`
    select wallet, id, investor_id from attestations
    where workspace_id = ${key.workspaceId} and wallet = any(${[kept, gone]})`
  const [one, other] = [kept, gone].map((wallet) => rows.find((row) => row.wallet === wallet)!)
  const ids = [other!.investor_id, other!.id, one!.investor_id, "us_real_estate_fund_v1", "nothing", "inv_1"]
  expect((await named(ids)).map(([path]) => path)).toEqual([
    `investors/${other!.investor_id}`,
    `attestations/${other!.id}`,
    `investors/${one!.investor_id}`,
    "tokens/us_real_estate_fund_v1",
  ])
  const { status } = await app.request({
    method: "POST",
    path: `/attestation/${other!.id}/revoke`,
    key: key.apiKey,
    json: { reason: "Asked to be forgotten" },
  })
  expect(status).toBe(200)
  await eraseWallet({ workspaceId: key.workspaceId, wallet: gone as Address })
  expect(await named(ids)).toEqual([
    [`investors/${one!.investor_id}`, "emma-kept"],
    ["tokens/us_real_estate_fund_v1", expect.any(String)],
  ])
  expect(await paths("emma gone")).toEqual([])
  const stranger = await member(app)
  expect(await named([one!.investor_id, one!.id], stranger)).toEqual([])
})

test("people, their reviews and verifications are named by the person, with a status", async () => {
  const externalId = "ivan-petrov-1083"
  const { wallet, reviewId, attestationId } = await reversalReview(app, key, externalId)
  const [person] = await find(externalId)
  expect(person).toMatchObject({ name: externalId, more: wallet, statuses: ["rejected"] })
  expect(await find(person!.path[1]!)).toEqual([person])
  expect(await find(attestationId)).toEqual([
    {
      kind: "attestation",
      name: `${externalId} · Individual identity`,
      more: attestationId,
      statuses: ["rejected"],
      path: ["attestations", attestationId],
    },
  ])
  expect((await find(reviewId))[0]!.name).toBe(`The provider approved after its rejection · ${externalId}`)
})

test("invalid text is refused", async () => {
  for (const text of ["", "x".repeat(201), "a\u0000b"])
    expect((await owner.browser.query("find.all", { text })).status).toBe(422)
})
