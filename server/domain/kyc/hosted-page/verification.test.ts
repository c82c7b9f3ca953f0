import { PublicKey } from "@solana/web3.js"
import { expect, test, vi } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { newId } from "#server/lib/ids.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { RpcUnavailable } from "#server/solana/rpc/errors.ts"
import { Rpc } from "#server/solana/rpc/rpc.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// Makes the hosted page's requests.

usesCustomer()

const call = async (name: string, input: unknown) => {
  const response = await fetch(`${app.origin}/api/trpc/verification.${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  })
  const json = (await response.json()) as {
    result?: { data: Record<string, unknown> }
    error?: { data: unknown }
  }
  return { status: response.status, view: json.result?.data, error: json.error?.data }
}
const view = async (sessionId: string) => (await call("view", { sessionId })).view!
const form = (sessionId: string, more: Record<string, unknown> = {}) => ({
  sessionId,
  consent: true,
  country: "US",
  ageOver18: true,
  accredited: false,
  decision: "approved",
  ...more,
})
const waitForState = (sessionId: string, state: string) =>
  waitFor(async () => {
    const shown = await view(sessionId)
    return shown.state === state && shown
  }, `the page to show ${state}`)
const submissionsOf = (sessionId: string) => sql`
  select b.event_id from sandbox_submissions b
  join attestations a on a.workspace_id = b.workspace_id and a.id = b.attestation_id
  where a.session_id = ${sessionId}`
const start = async (more: Record<string, unknown> = {}) => {
  const wallet = newWallet()
  const { json } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1", ...more },
  })
  return { wallet, sessionId: json.session_id as string }
}

test.each(["", "x", "sess_unknown", newId("sess"), newId("att"), "'; drop table attestations"])(
  "a session that does not exist is unknown: %j",
  async (sessionId) => {
    expect(await view(sessionId)).toEqual({ state: "unknown" })
  },
)

test("an id that the database cannot store is refused", async () => {
  const { status, view, error } = await call("view", { sessionId: "sess_\u0000" })
  expect([status, view]).toEqual([422, undefined])
  expect(JSON.stringify(error)).toContain("sessionId: must not contain the character U+0000.")
})

test("an open session shows the company, the check and the end, and reveals nothing of the API", async () => {
  const { wallet, sessionId } = await start({
    externalId: "internal name",
    redirectUrl: "https://example.com/",
  })
  const shown = await view(sessionId)
  expect(shown).toEqual({
    company: expect.stringMatching(/^Account /),
    brand: { color: null, contact: null, logo: null },
    mode: "test",
    schema: { id: "kyc_individual_v1", name: "Individual identity", validityDays: 365 },
    provider: { label: "Built-in sandbox", flow: "form", testOnly: true },
    wallet,
    returnUrl: null,
    state: "open",
    again: null,
    walletProof: "none",
    consented: false,
    provesOnChain: false,
    openUntil: expect.stringMatching(/Z$/),
  })
  expect(JSON.stringify(shown)).not.toMatch(/internal name|ws_|key_/)
})

test("an approval in the form is reported by the signed webhook, and the result goes to the company", async () => {
  const { wallet, sessionId } = await start({ redirectUrl: "https://example.com/done?order=7&status=x#top" })
  const submitted = await call("submit", form(sessionId))
  expect(submitted.view).toMatchObject({ state: "checking" })
  const shown = await waitForState(sessionId, "verified")
  const status = await app.waitForStatus(key, wallet, "verified")
  expect(shown).toMatchObject({
    onchainTx: status.onchain_tx,
    expiresAt: status.expires_at,
    cluster: "localnet",
  })
  const back = new URL(shown.returnUrl as string)
  expect(back.href.startsWith("https://example.com/done?order=7&")).toBe(true)
  expect(back.searchParams.getAll("status")).toEqual(["verified"])
  expect(back.searchParams.get("attestation_id")).toBe(status.attestation_id)
  expect(back.href).not.toContain("sess_")
  const event = await sql`select outcome from webhook_events where attestation_id = ${status.attestation_id}`
  expect([...event]).toEqual([{ outcome: "applied" }])
})

test("a token account or a mint cannot continue as a wallet; nodes that disagree or do not answer stop no one", async () => {
  const other = await app.key()
  const fund = await tokenFixture(app, other).config()
  const { wallet } = await app.verifiedWallet(other)
  await tokenFixture(app, other).mint(fund, wallet, 1)
  // Of another workspace, so this one does not know them.
  const mint = assetMintOf(other.workspaceId, fund)
  const account = tokenAccountOf(mint, new PublicKey(wallet))
  for (const address of [mint, account]) {
    const { sessionId } = await app.startSession(key, addressOf(address))
    expect(await call("submit", form(sessionId))).toMatchObject({
      status: 422,
      error: { error: "invalid_public_key", detail: expect.stringContaining("not a wallet") },
    })
    expect(await submissionsOf(sessionId)).toHaveLength(0)
  }
  const { sessionId } = await app.startSession(key, addressOf(account))
  const chain = deployment.chains.test!
  const views = vi.spyOn(Rpc.prototype, "views", "get")
  const silent = new Rpc(chain.rpc.nodes)
  vi.spyOn(silent, "account").mockRejectedValue(new RpcUnavailable("down"))
  // The server's workers may ask at the same time.
  views.mockReturnValue([new Rpc(chain.rpc.nodes), silent])
  expect((await call("submit", form(sessionId))).status).toBe(200)
  expect(views).toHaveBeenCalled()
  views.mockRestore()
})

test("the form's stored claims are deleted once delivered", async () => {
  const { sessionId } = await start()
  await call("submit", form(sessionId, { decision: "rejected" }))
  await waitForState(sessionId, "rejected")
  const row = await waitFor(async () => {
    const [submission] = await sql`
      select b.claims, b.delivered_at from sandbox_submissions b
      join attestations a on a.workspace_id = b.workspace_id and a.id = b.attestation_id
      where a.session_id = ${sessionId} and b.delivered_at is not null`
    return submission ?? null
  }, "the delivery to be recorded")
  expect(row.claims).toBeNull()
})

test("a decision is reported again until it is acknowledged", async () => {
  const { sessionId } = await start()
  await sql`alter table webhook_events rename to away`
  await call("submit", form(sessionId, { decision: "rejected" }))
  await waitFor(
    async () => app.log.some((line) => line.includes("a submission was not acknowledged")),
    "the first report to fail",
  )
  expect(await view(sessionId)).toMatchObject({ state: "checking" })
  await sql`alter table away rename to webhook_events`
  expect(await waitForState(sessionId, "rejected")).toMatchObject({ was: "pending" })
})

test("of two simultaneous submissions the first counts; a session that is not open accepts none", async () => {
  const { sessionId } = await start()
  const decisions = ["approved", "rejected", "approved", "rejected"]
  await Promise.all(decisions.map((decision) => call("submit", form(sessionId, { decision }))))
  expect(await submissionsOf(sessionId)).toHaveLength(1)
  await waitFor(async () => (await view(sessionId)).state !== "checking", "the session to be decided")

  const before = (await view(sessionId)).state
  await call("submit", form(sessionId, { decision: before === "verified" ? "rejected" : "approved" }))
  expect((await view(sessionId)).state).toBe(before)
  await call("submit", form(newId("sess")))
})

test("an investor can submit again if the decision asks for it", async () => {
  const { sessionId } = await start()
  await call("submit", form(sessionId, { decision: "resubmission_requested" }))
  await waitFor(async () => (await view(sessionId)).again === "resubmit", "the form to be shown again")
  await call("submit", form(sessionId, { decision: "rejected" }))
  expect(await waitForState(sessionId, "rejected")).toMatchObject({ was: "pending" })
})

test("the page shows a revocation", async () => {
  const { sessionId, status } = await app.verifiedWallet(key)
  await app.request({
    method: "POST",
    path: `/attestation/${status.attestation_id}/revoke`,
    key: key.apiKey,
    json: { reason: "Document reported stolen" },
  })
  expect(await view(sessionId)).toMatchObject({
    state: "rejected",
    was: "verified",
    reason: "unverifiable",
  })
})

test("a session past its time is expired and accepts no submission, even before a sweep", async () => {
  const { sessionId } = await start()
  await advanceClock({ seconds: 24 * 3600 + 60 })
  expect(await view(sessionId)).toMatchObject({ state: "expired", was: "open" })
  await call("submit", form(sessionId))
  expect(await submissionsOf(sessionId)).toHaveLength(0)
})

test.each([
  ["without consent", { consent: false }],
  ["with an invalid country", { country: "usa" }],
  ["with an unassigned country code", { country: "ZZ" }],
  ["with another decision", { decision: "maybe" }],
  ["with a text for a checkbox", { ageOver18: "yes" }],
  ["without a session", { sessionId: undefined }],
])("a form %s is refused and stored nowhere", async (_name, more) => {
  const { sessionId } = await start()
  const { status, error } = await call("submit", { ...form(sessionId), ...more })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(error).toMatchObject({ error: "validation_failed" })
  expect(await submissionsOf(sessionId)).toHaveLength(0)
})
