import { hash } from "node:crypto"
import { expect, test } from "vitest"
import { verifySnapshot } from "#client/index.ts"
import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { newId } from "#server/lib/ids.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "")
const now = () => Math.floor(Date.now() / 1000)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const take = async (mint_config: string, seconds: number, name = "Record date", more: object = {}) => {
  const body = { mint_config, record_at: isoOf(seconds), name }
  const response = await tokens.post("/snapshots", body, more)
  expect(response.status).toBe(202)
  expect(response.headers.location).toBe(`/v1/snapshot/${response.json.snapshot_id}`)
  return response.json
}
const read = async (id: string) => (await tokens.get(`/snapshot/${id}`)).json
const untilReady = (id: string) =>
  waitFor(async () => {
    const record = await read(id)
    return record.state === "ready" && record.anchor_tx !== null && record
  }, "the snapshot")
const csvOf = async (id: string) => (await tokens.get(`/snapshot/${id}/holders.csv`)).text

/** When an operation's transaction landed, in Unix seconds. */
async function secondOf({ json }: { json: { onchain_tx: string } }): Promise<number> {
  const { value } = await app.connection.getSignatureStatus(json.onchain_tx, { searchTransactionHistory: true })
  return (await app.connection.getBlockTime(value!.slot))!
}

/** A file with these amounts, in base units. */
const fileWith = (balances: Record<string, string>) =>
  `user_pubkey,balance,held\n${Object.keys(balances)
    .sort()
    .map((wallet) => `${wallet},${balances[wallet]}\n`)
    .join("")}`

test("a snapshot counts what landed in the second of its record date, and nothing later", async () => {
  const id = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(id, alice, 10)
  await sleep(1100)
  const second = await secondOf(await tokens.transfer(id, alice, bob, 4))
  const [before, at] = [await take(id, second - 1), await take(id, second)]
  expect(await untilReady(before.snapshot_id)).toMatchObject({ holders: 1, supply: "10", complete: true })
  expect(await untilReady(at.snapshot_id)).toMatchObject({ holders: 2, supply: "10", record_at: isoOf(second) })
  expect(await csvOf(before.snapshot_id)).toBe(fileWith({ [alice]: "10,0" }))
  expect(await csvOf(at.snapshot_id)).toBe(fileWith({ [alice]: "6,0", [bob]: "4,0" }))
})

test("a snapshot of a future record date is scheduled, then ready, and what lands later does not change it", async () => {
  const id = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  const second = (await secondOf(await tokens.mint(id, alice, 10))) + 3
  const asked = await take(id, second, "Record date Q3")
  expect(asked).toMatchObject({ state: "scheduled", holders: null, supply: null, sha256: null, complete: null })
  expect(asked).toMatchObject({ anchor_tx: null, ready_at: null, name: "Record date Q3", mint_config: id })
  const early = await tokens.get(`/snapshot/${asked.snapshot_id}/holders.csv`)
  expect(early).toMatchObject({ status: 409, json: { error: "snapshot_not_ready" } })
  expect((await tokens.get(`/snapshot/${asked.snapshot_id}/holders`)).json.error).toBe("snapshot_not_ready")
  expect((await tokens.get(`/snapshots?mint_config=${id}&state=scheduled`)).json.data).toEqual([asked])
  const record = await untilReady(asked.snapshot_id)
  expect(Date.parse(record.ready_at)).toBeGreaterThan(second * 1000)
  const file = await csvOf(asked.snapshot_id)
  await tokens.transfer(id, alice, bob, 4)
  expect(await csvOf(asked.snapshot_id)).toBe(file)
  expect((await tokens.get(`/snapshots?mint_config=${id}&state=scheduled`)).json.data).toEqual([])
  expect((await tokens.get(`/snapshots?mint_config=${id}&state=ready`)).json.data).toEqual([record])
})

test("the hash on chain is that of the file, and a changed file does not verify", async () => {
  const id = await tokens.config({}, { decimals: 6 })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(id, alice, "10.5")
  const second = await secondOf(await tokens.mint(id, bob, "2"))
  await tokens.post("/token/holds", { user_pubkey: bob, mint_config: id, amount: "0.5", ...grounds })
  const { snapshot_id } = await take(id, Math.max(now(), second))
  const snapshot = await untilReady(snapshot_id)
  const { status, headers, text: csv } = await tokens.get(`/snapshot/${snapshot_id}/holders.csv`)
  expect([status, headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"])
  expect(csv).toBe(fileWith({ [alice]: "10500000,0", [bob]: "2000000,500000" }))
  expect(snapshot.sha256).toBe(hash("sha256", csv, "base64url"))
  const issuer = deployment.keys(authorityPurpose(key.workspaceId)).publicKey.toBase58()
  const question = { issuer, snapshot }
  expect(await verifySnapshot(app.connection, { ...question, csv })).toEqual({
    ...{ verified: true, sha256: snapshot.sha256, authority: issuer, transaction: snapshot.anchor_tx },
  })
  const changed = csv.replace("2000000", "3000000")
  expect(await verifySnapshot(app.connection, { ...question, csv: changed })).toEqual({
    ...{ verified: false, reason: "wrong_holders" },
  })
})

test("holders are a list in pages, in whole tokens and in the order of the file", async () => {
  const id = await tokens.config({}, { decimals: 6 })
  const wallets = await tokens.wallets(3)
  let second = 0
  for (const wallet of wallets) second = await secondOf(await tokens.mint(id, wallet, "1.5"))
  const { snapshot_id } = await take(id, second)
  await untilReady(snapshot_id)
  const found: string[] = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { json } = await tokens.get(`/snapshot/${snapshot_id}/holders?limit=2${cursor && `&cursor=${cursor}`}`)
    for (const one of json.data) expect(one).toMatchObject({ balance: "1.5", held: "0" })
    found.push(...json.data.map(({ user_pubkey }: { user_pubkey: string }) => user_pubkey))
    cursor = json.next_cursor
  }
  expect(found).toEqual(wallets.toSorted())
  const wrong = await tokens.get(`/snapshot/${snapshot_id}/holders?cursor=abc`)
  expect(wrong).toMatchObject({ status: 422, json: { error: "validation_failed" } })
})

test("a token without holders has a snapshot of none, and its file is the header alone", async () => {
  const id = await tokens.config()
  const { snapshot_id } = await take(id, now() - 86_400)
  expect(await untilReady(snapshot_id)).toMatchObject({ holders: 0, supply: "0" })
  expect(await csvOf(snapshot_id)).toBe("user_pubkey,balance,held\n")
})

test("a token whose holders can move it without naming its mint has an incomplete snapshot", async () => {
  const id = await tokens.olderConfig([], { transfer_mode: "holder" })
  const [alice] = await tokens.wallets(1)
  const second = await secondOf(await tokens.mint(id, alice, 10))
  const { snapshot_id } = await take(id, second)
  expect(await untilReady(snapshot_id)).toMatchObject({ complete: false, holders: 1 })
})

test("a repeated request with the same key takes one snapshot", async () => {
  const id = await tokens.config()
  const second = now() + 3600
  const once = { idempotencyKey: newId("evt") }
  const [first, again] = [await take(id, second, "Once", once), await take(id, second, "Once", once)]
  expect(again).toEqual(first)
  expect((await tokens.get(`/snapshots?mint_config=${id}`)).json.data).toHaveLength(1)
})

test("another workspace's snapshot does not exist, and a read needs token:read", async () => {
  const id = await tokens.config()
  const { snapshot_id } = await take(id, now())
  await untilReady(snapshot_id)
  const stranger = tokenFixture(app, await app.key())
  for (const path of ["", "/holders", "/holders.csv"])
    expect(await stranger.get(`/snapshot/${snapshot_id}${path}`)).toMatchObject({
      ...{ status: 404, json: { error: "snapshot_not_found" } },
    })
  const unknown = { mint_config: id, record_at: isoOf(now()), name: "Theirs" }
  expect(await stranger.post("/snapshots", unknown)).toMatchObject({
    ...{ status: 422, json: { error: "unknown_mint_config" } },
  })
})

test("HEAD of the file has its type and no body, and an unknown parameter is refused in JSON", async () => {
  const id = await tokens.config()
  const { snapshot_id } = await take(id, now() - 60)
  await untilReady(snapshot_id)
  const path = `/snapshot/${snapshot_id}/holders.csv`
  const head = await app.request({ method: "HEAD", path, key: key.apiKey })
  expect([head.status, head.headers["content-type"], head.text]).toEqual([200, "text/csv; charset=utf-8", ""])
  expect(await tokens.get(`${path}?limit=1`)).toMatchObject({ status: 422, json: { error: "validation_failed" } })
})

test("a snapshot that is ready is an event, is in the audit log, and is anchored once", async () => {
  const id = await tokens.config()
  const { snapshot_id } = await take(id, now(), "Recorded")
  const { sha256 } = await untilReady(snapshot_id)
  const event = await waitFor(async () => {
    const { json } = await tokens.get("/events?limit=100")
    return json.data.find(({ data }: { data: { snapshot_id?: string } }) => data.snapshot_id === snapshot_id)
  }, "the event")
  expect(event).toMatchObject({ type: "snapshot.ready", data: { mint_config: id, holders: 0, sha256 } })
  const entries = await sql`select action, actor from audit_entries where subject = ${snapshot_id} order by seq`
  expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
    ["snapshot.created", "key"],
    ["snapshot.ready", "system"],
  ])
  const authority = deployment.keys(authorityPurpose(key.workspaceId)).publicKey
  const memos = (await app.connection.getSignaturesForAddress(authority, { limit: 1000 })).map(({ memo }) => memo)
  expect(memos.filter((memo) => memo?.includes(snapshot_id))).toHaveLength(1)
})
