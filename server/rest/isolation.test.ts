import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createAccount } from "#server/accounts/create.ts"
import { newId } from "#server/ids.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/app.ts"
import type { Response, Sent } from "#test/http.ts"
import { snapshot } from "#test/snapshot.ts"

// Two workspaces that must not know of each other: those of two customers, and the two of one customer.
let app: TestApp
const pairs: Record<string, { owner: TestKey; stranger: TestKey }> = {}

beforeAll(async () => {
  app = await startTestApp()
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  pairs["another account"] = { owner: await app.key(), stranger: await app.key() }
  pairs["live and test of one account"] = {
    owner: await app.key({ account, mode: "live" }),
    stranger: await app.key({ account, mode: "test" }),
  }
})
afterAll(() => app.stop())

/** What a caller can see of an answer, with the id that was asked for and the request's own taken out. */
function seen({ status, headers, text }: Response, asked: string) {
  const { date, "x-request-id": requestId, "content-length": length, ...rest } = headers
  const named = status < 400 ? 0 : asked.length + requestId!.length
  return {
    status,
    headers: rest,
    length: Number(length) - named,
    text: text.replaceAll(asked, "<asked>").replaceAll(String(requestId), "<request>"),
  }
}

describe.each(["another account", "live and test of one account"])("%s", (name) => {
  test("an id of the other workspace gets the answer of one that never existed, byte for byte", async () => {
    const { owner, stranger } = pairs[name]!
    const { wallet, sessionId, status } = await app.verifiedWallet(owner)
    const pending = await app.startSession(owner)
    const list = { method: "GET", path: `/attestations?pubkey=${pending.wallet}`, key: owner.apiKey }
    const pendingId = (await app.request(list)).json.data[0].attestation_id as string
    const endpoints: [(id: string) => Sent, known: string[], unknown: () => string][] = [
      [
        (id) => ({ method: "GET", path: `/attestation/${id}` }),
        [status.attestation_id, pendingId],
        () => newId("att"),
      ],
      [(id) => ({ method: "HEAD", path: `/attestation/${id}` }), [status.attestation_id], () => newId("att")],
      [
        (id) => ({ method: "POST", path: `/attestation/${id}/revoke`, json: { reason: "mine now" } }),
        [status.attestation_id, pendingId],
        () => newId("att"),
      ],
      [
        (id) => ({
          method: "POST",
          path: `/attestation/${id}/revoke`,
          json: { reason: "x" },
          idempotencyKey: id,
        }),
        [status.attestation_id],
        () => newId("att"),
      ],
      [(id) => ({ method: "GET", path: `/kyc/status/${id}` }), [wallet, pending.wallet], newWallet],
      [(id) => ({ method: "GET", path: `/kyc/status/${id}?schema=kyc_individual_v1` }), [wallet], newWallet],
      [(id) => ({ method: "GET", path: `/attestations?pubkey=${id}` }), [wallet, pending.wallet], newWallet],
    ]
    for (const [sent, known, unknown] of endpoints) {
      for (const id of known) {
        const other = unknown()
        const ask = async (one: string) =>
          seen(await app.request({ ...sent(one), key: stranger.apiKey }), one)
        expect(await ask(id), sent(id).path).toEqual(await ask(other))
      }
    }
    const after = await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: owner.apiKey })
    expect(after.json).toEqual(status)
    const open = await app.request({
      method: "GET",
      path: `/kyc/status/${pending.wallet}`,
      key: owner.apiKey,
    })
    expect(open.json.status).toBe("pending")
    expect(sessionId).not.toBe(pending.sessionId)
  })

  test("a wallet known to one workspace starts anew in the other, and neither sees the other's session", async () => {
    const { owner, stranger } = pairs[name]!
    const wallet = newWallet()
    const mine = await app.startSession(owner, wallet)
    const theirs = await app.startSession(stranger, wallet)
    expect(theirs.sessionId).not.toBe(mine.sessionId)
    await app.webhook({ session_id: mine.sessionId, decision: "rejected" })
    const status = async (key: TestKey) =>
      (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })).json.status
    expect(await status(owner)).toBe("rejected")
    expect(await status(stranger)).toBe("pending")
  })

  test("lists and usage show nothing of the other workspace", async () => {
    const { owner, stranger } = pairs[name]!
    const fresh = { method: "GET", path: "/usage", key: stranger.apiKey }
    const before = (await app.request(fresh)).json
    const { wallet } = await app.startSession(owner)
    expect((await app.request(fresh)).json).toEqual(before)
    const { json } = await app.request({
      method: "GET",
      path: "/attestations?limit=100",
      key: stranger.apiKey,
    })
    expect(json.data.map((one: { user_pubkey: string }) => one.user_pubkey)).not.toContain(wallet)
  })

  test("a cursor of the other workspace is one that this list never gave", async () => {
    const { owner, stranger } = pairs[name]!
    await app.startSession(owner)
    await app.startSession(owner)
    const first = await app.request({ method: "GET", path: "/attestations?limit=1", key: owner.apiKey })
    const unknown = Buffer.from(newId("att")).toString("base64url")
    const [theirs, nobodys] = await Promise.all(
      [first.json.next_cursor, unknown].map((cursor) =>
        app.request({ method: "GET", path: `/attestations?cursor=${cursor}`, key: stranger.apiKey }),
      ),
    )
    expect(theirs!.status).toBe(422)
    expect({ ...theirs!.json, request_id: "" }).toEqual({ ...nobodys!.json, request_id: "" })
  })

  test("an Idempotency-Key of the other workspace replays nothing", async () => {
    const { owner, stranger } = pairs[name]!
    const idempotencyKey = newId("evt")
    const json = { userPubkey: newWallet(), schemaId: "kyc_individual_v1" }
    const sent = { method: "POST", path: "/kyc/start", idempotencyKey, json }
    const mine = await app.request({ ...sent, key: owner.apiKey })
    const theirs = await app.request({ ...sent, key: stranger.apiKey })
    expect(theirs.status).toBe(200)
    expect(theirs.headers["idempotent-replayed"]).toBeUndefined()
    expect(theirs.json.session_id).not.toBe(mine.json.session_id)
    const other = { ...sent, json: { ...json, userPubkey: newWallet() } }
    expect((await app.request({ ...other, key: stranger.apiKey })).json.error).toBe("idempotency_key_reused")
    expect((await app.request({ ...sent, key: owner.apiKey })).text).toBe(mine.text)
  })
})

test("a stranger who knows an id can read and change nothing with it", async () => {
  const quiet = await app.key()
  const { wallet } = await app.startSession(quiet)
  const list = { method: "GET", path: `/attestations?pubkey=${wallet}`, key: quiet.apiKey }
  const record = (await app.request(list)).json.data[0]
  const { stranger } = pairs["another account"]!
  await app.request({ method: "GET", path: "/usage", key: stranger.apiKey })
  const before = await snapshot()
  for (const path of [
    `/attestation/${record.attestation_id}/revoke`,
    `/attestation/${record.session_id}/revoke`,
  ]) {
    const response = await app.request({ method: "POST", path, key: stranger.apiKey, json: { reason: "x" } })
    expect(response.status).toBe(404)
  }
  expect(await snapshot()).toEqual(before)
})
