import { beforeAll, describe, expect, test } from "vitest"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import type { Response, Sent } from "#test/fixtures/http.ts"
import { ledgerAtRest } from "#test/fixtures/ledger-at-rest.ts"
import { readySnapshot } from "#test/fixtures/snapshots.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

const FUND = "us_real_estate_fund_v1"

// Two workspaces that must not see each other: those of two customers, and the two of one customer. The second pair
// differs in one way: an error says that an id belongs to the other mode.
const ONE_ACCOUNT = "live and test of one account"
const pairs: Record<string, { owner: TestKey; stranger: TestKey }> = {}

usesApp()
beforeAll(async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  pairs["another account"] = { owner: await app.key(), stranger: await app.key() }
  pairs[ONE_ACCOUNT] = {
    owner: await app.key({ account, mode: "live" }),
    stranger: await app.key({ account, mode: "test" }),
  }
})

const count = (text: string, part: string): number => text.split(part).length - 1

/** What a caller can see of an answer, without the requested id and the request id. */
function seen({ status, headers, text }: Response, asked: string) {
  const { date, "x-request-id": id, "content-length": length, ...rest } = headers
  const requestId = String(id)
  // HEAD reveals the length of an unseen body: that of an error, which names both ids.
  const [asks, requests] = text === "" ? (status < 400 ? [0, 0] : [1, 1]) : [count(text, asked), count(text, requestId)]
  const named = asks * asked.length + requests * requestId.length
  return {
    status,
    headers: rest,
    length: Number(length) - named,
    text: text.replaceAll(asked, "<asked>").replaceAll(requestId, "<request>"),
  }
}

/** A request that names an id, with ids of the other workspace and a way to make one that never existed. */
type Endpoint = [sent: (id: string) => Sent, known: string[], unknown: () => string]

async function expectAlike(
  endpoints: readonly Endpoint[],
  stranger: TestKey,
  { names }: { names: boolean },
): Promise<void> {
  for (const [sent, known, unknown] of endpoints) {
    for (const id of known) {
      const other = unknown()
      const ask = async (one: string) => seen(await app.request({ ...sent(one), key: stranger.apiKey }), one)
      const [theirs, nobodys] = [await ask(id), await ask(other)]
      if (names && theirs.status >= 400 && unknown !== newWallet) {
        expect(theirs.status, sent(id).path).toBe(nobodys.status)
        expect(theirs.headers, sent(id).path).toEqual(nobodys.headers)
        if (theirs.text !== "") expect(theirs.text, sent(id).path).toMatch(OTHER_MODE)
      } else expect(theirs, sent(id).path).toEqual(nobodys)
    }
  }
}

const OTHER_MODE =
  /"(id|mint_config|snapshot_id): this [a-z ]+ is in live mode, and your key is for test mode. Use a key that begins with vouch_live_."/

async function newEndpoint({ apiKey: key }: TestKey): Promise<string> {
  const json = { url: "https://example.com/hook" }
  return (await app.request({ method: "POST", path: "/webhook-endpoints", key, json })).json.endpoint_id
}

const unknownConfig = () => `none_${newId("op").slice(3).toLowerCase()}`

describe.each(["another account", ONE_ACCOUNT])("%s", (name) => {
  test("an id or wallet of the other workspace gets the same bytes as one that never existed", async () => {
    const { owner, stranger } = pairs[name]!
    const { wallet, sessionId, status } = await app.verifiedWallet(owner)
    const pending = await app.startSession(owner)
    const list = { method: "GET", path: `/attestations?pubkey=${pending.wallet}`, key: owner.apiKey }
    const { attestation_id: pendingId, investor_id: investorId } = (await app.request(list)).json.data[0]
    const endpointId = await newEndpoint(owner)
    const endpoints: Endpoint[] = [
      [(id) => ({ method: "GET", path: `/attestation/${id}` }), [status.attestation_id, pendingId], () => newId("att")],
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
      [(id) => ({ method: "GET", path: `/attestations?investor=${id}` }), [investorId], () => newId("inv")],
      [(id) => ({ method: "GET", path: `/attestations?session=${id}` }), [sessionId], () => newId("sess")],
      [(id) => ({ method: "GET", path: `/investor/${id}` }), [investorId], () => newId("inv")],
      [(id) => ({ method: "GET", path: `/kyc/session/${id}` }), [sessionId], () => newId("sess")],
      [(id) => ({ method: "POST", path: `/kyc/session/${id}/cancel` }), [sessionId], () => newId("sess")],
      [(id) => ({ method: "GET", path: `/webhook-endpoint/${id}` }), [endpointId], () => newId("whe")],
      [(id) => ({ method: "GET", path: `/investors?wallet=${id}` }), [wallet, pending.wallet], newWallet],
    ]
    await expectAlike(endpoints, stranger, { names: name === ONE_ACCOUNT })
    await app.request({ method: "DELETE", path: `/webhook-endpoint/${endpointId}`, key: owner.apiKey })
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

  test("a configuration, operation or balance of the other workspace gets the same bytes as one that never existed", async () => {
    const { owner, stranger } = pairs[name]!
    const tokens = tokenFixture(app, owner)
    const config = await tokens.config()
    const [alice, bob] = await tokens.wallets(2)
    const minted = await tokens.mint(config, alice, 10)
    const theirs = (await app.verifiedWallet(stranger)).wallet
    const before = await tokens.trace(config)
    const record = (await tokens.get(`/mint-config/${config}`)).text

    const post = (path: string, json: object): Sent => ({ method: "POST", path, json })
    const get = (path: string): Sent => ({ method: "GET", path })
    await tokens.post("/token/freeze", { user_pubkey: newWallet(), ...grounds })
    const holding = { user_pubkey: alice, mint_config: config, amount: "1", ...grounds }
    const { hold_id } = (await tokens.post("/token/holds", holding)).json
    const asked = { mint_config: config, record_at: "2026-01-01T00:00:00Z", name: "Record date" }
    const { snapshot_id } = (await tokens.post("/snapshots", asked)).json
    const paid = { settlement: "external", total: "100", reference: "Q3" }
    const distribution = { snapshot_id: await readySnapshot(tokens, config, 10), ...paid }
    const { distribution_id } = (await tokens.post("/distributions", distribution)).json
    const { payout_id } = (await tokens.get(`/distribution/${distribution_id}/payouts`)).json.data[0]
    const distributionId = () => newId("dist")
    const payoutId = () => newId("pay")
    await expectAlike(
      [
        [(id) => get(`/snapshot/${id}`), [snapshot_id], () => newId("snap")],
        [(id) => get(`/snapshot/${id}/holders`), [snapshot_id], () => newId("snap")],
        [(id) => get(`/snapshot/${id}/holders.csv`), [snapshot_id], () => newId("snap")],
        [(id) => get(`/snapshots?mint_config=${id}`), [config], unknownConfig],
        [(id) => post("/snapshots", { ...asked, mint_config: id }), [config], unknownConfig],
        [(id) => get(`/token/hold/${id}`), [hold_id], () => newId("hold")],
        [(id) => ({ method: "POST", path: `/token/hold/${id}/release`, json: {} }), [hold_id], () => newId("hold")],
        [(id) => get(`/token/holds?mint_config=${id}`), [config], unknownConfig],
        [(id) => post("/distributions", { ...paid, snapshot_id: id }), [snapshot_id], () => newId("snap")],
        [(id) => get(`/distribution/${id}`), [distribution_id], distributionId],
        [(id) => get(`/distribution/${id}/payouts`), [distribution_id], distributionId],
        [(id) => get(`/distributions?mint_config=${id}`), [config], unknownConfig],
        ...["start", "pause", "cancel"].map(
          (act): Endpoint => [(id) => post(`/distribution/${id}/${act}`, {}), [distribution_id], distributionId],
        ),
        [(id) => get(`/payout/${id}`), [payout_id], payoutId],
        [(id) => post(`/payout/${id}/release`, {}), [payout_id], payoutId],
        [(id) => post(`/payout/${id}/mark-paid`, { external_reference: "1" }), [payout_id], payoutId],
        [(id) => get(`/token/operation/${id}`), [minted.json.operation_id], () => newId("op")],
        [(id) => get(`/mint-config/${id}`), [config], unknownConfig],
        [(id) => ({ ...get(`/mint-config/${id}`), method: "HEAD" }), [config], unknownConfig],
        [
          (id) => ({ method: "PATCH", path: `/mint-config/${id}`, json: { rules: { max_holders: 1 } } }),
          [config],
          unknownConfig,
        ],
        [(id) => post(`/mint-config/${id}/pause`, {}), [config], unknownConfig],
        [(id) => post(`/mint-config/${id}/unpause`, {}), [config], unknownConfig],
        [(id) => get(`/token/balance/${alice}?mint_config=${id}`), [config], unknownConfig],
        [(id) => get(`/token/operations?mint_config=${id}`), [config], unknownConfig],
        [(id) => get(`/token/operations?pubkey=${id}`), [alice, bob], newWallet],
        [(id) => post("/token/mint", { user_pubkey: theirs, mint_config: id, amount: 1 }), [config], unknownConfig],
        [
          (id) => post("/token/transfer", { from_pubkey: alice, to_pubkey: theirs, mint_config: id, amount: 1 }),
          [config],
          unknownConfig,
        ],
        [(id) => post("/token/freeze", { user_pubkey: theirs, mint_config: id, ...grounds }), [config], unknownConfig],
        [(id) => post("/token/unfreeze", { user_pubkey: id, ...grounds }), [alice], newWallet],
        // A wallet that is verified in the other workspace is unknown in this one.
        [(id) => post("/token/mint", { user_pubkey: id, mint_config: FUND, amount: 1 }), [alice], newWallet],
        [(id) => get(`/token/balance/${id}?mint_config=${FUND}`), [alice], newWallet],
      ],
      stranger,
      { names: name === ONE_ACCOUNT },
    )
    expect(await tokens.trace(config)).toEqual(before)
    expect((await tokens.get(`/mint-config/${config}`)).text).toBe(record)
  })

  test("a configuration of the same id is another token, with its own mint, rules and balances", async () => {
    const { owner, stranger } = pairs[name]!
    const [mine, theirs] = [tokenFixture(app, owner), tokenFixture(app, stranger)]
    const wallet = newWallet()
    for (const key of [owner, stranger]) await app.verifiedWallet(key, wallet)
    const [one, other] = [await mine.mint(FUND, wallet, 5), await theirs.mint(FUND, wallet, 7)]
    expect([one.status, other.status]).toEqual([200, 200])
    expect(one.json.mint).not.toBe(other.json.mint)
    await mine.post(`/mint-config/${FUND}/pause`, {})
    expect((await mine.mint(FUND, wallet, 1)).json.error).toBe("mint_paused")
    expect((await theirs.mint(FUND, wallet, 1)).status).toBe(200)
    await mine.post(`/mint-config/${FUND}/unpause`, {})
    const balance = `/token/balance/${wallet}?mint_config=${FUND}`
    expect([(await mine.get(balance)).json.amount, (await theirs.get(balance)).json.amount]).toEqual(["5", "8"])
  })

  test("a wallet known to one workspace is new to the other, and neither sees the other's session", async () => {
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
    await ledgerAtRest()
    const before = (await app.request(fresh)).json
    const { wallet } = await app.startSession(owner)
    expect((await app.request(fresh)).json).toEqual(before)
    const { json } = await app.request({
      method: "GET",
      path: "/attestations?limit=100",
      key: stranger.apiKey,
    })
    expect(json.data.map((one: { user_pubkey: string }) => one.user_pubkey)).not.toContain(wallet)

    const [mine, theirs] = [tokenFixture(app, owner), tokenFixture(app, stranger)]
    const config = await mine.config()
    const [holder] = await mine.wallets(1)
    const minted = await mine.mint(config, holder, 1)
    for (const path of ["/mint-configs", "/token/operations?limit=100"]) {
      const { text } = await theirs.get(path)
      for (const id of [config, holder, minted.json.operation_id, minted.json.mint]) expect(text).not.toContain(id)
      expect((await mine.get(path)).text).toContain(config)
    }
  })

  test("a cursor of the other workspace is refused like an invalid one", async () => {
    const { owner, stranger } = pairs[name]!
    await app.startSession(owner)
    await app.startSession(owner)
    const tokens = tokenFixture(app, owner)
    const [holder] = await tokens.wallets(1)
    for (const amount of [1, 2]) expect((await tokens.mint(FUND, holder, amount)).status).toBe(200)
    for (const name of ["One", "Two"])
      await tokens.post("/snapshots", { mint_config: FUND, record_at: "2099-01-01T00:00:00Z", name })
    for (const [list, prefix] of [
      ["/attestations", "att"],
      ["/investors", "inv"],
      ["/token/operations", "op"],
      ["/snapshots", "snap"],
    ] as const) {
      const first = await app.request({ method: "GET", path: `${list}?limit=1`, key: owner.apiKey })
      expect(first.json.next_cursor).not.toBeNull()
      const unknown = Buffer.from(newId(prefix)).toString("base64url")
      const [theirs, nobodys] = await Promise.all(
        [first.json.next_cursor, unknown].map((cursor) =>
          app.request({ method: "GET", path: `${list}?cursor=${cursor}`, key: stranger.apiKey }),
        ),
      )
      expect(theirs!.status).toBe(422)
      expect({ ...theirs!.json, request_id: "" }).toEqual({ ...nobodys!.json, request_id: "" })
    }
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

test("an id that the other mode no longer has, or of another kind, is answered like one that never existed", async () => {
  const { owner, stranger } = pairs[ONE_ACCOUNT]!
  const id = await newEndpoint(owner)
  const get = () => app.request({ method: "GET", path: `/webhook-endpoint/${id}`, key: stranger.apiKey })
  expect((await get()).json.detail).toMatch(/in live mode/)
  await app.request({ method: "DELETE", path: `/webhook-endpoint/${id}`, key: owner.apiKey })
  expect((await get()).json.detail).toMatch(/no webhook endpoint/)
  const { sessionId } = await app.startSession(owner)
  const path = `/attestation/${sessionId}`
  expect((await app.request({ method: "GET", path, key: stranger.apiKey })).json.detail).toMatch(/no attestation/)
})

test("a stranger who knows an id can neither read nor change anything with it", async () => {
  const quiet = await app.key()
  const { wallet } = await app.startSession(quiet)
  const list = { method: "GET", path: `/attestations?pubkey=${wallet}`, key: quiet.apiKey }
  const record = (await app.request(list)).json.data[0]
  const { stranger } = pairs["another account"]!
  await app.request({ method: "GET", path: "/usage", key: stranger.apiKey })
  const before = await snapshot()
  for (const path of [`/attestation/${record.attestation_id}/revoke`, `/attestation/${record.session_id}/revoke`]) {
    const response = await app.request({ method: "POST", path, key: stranger.apiKey, json: { reason: "x" } })
    expect(response.status).toBe(404)
  }
  expect(await snapshot()).toEqual(before)
})
