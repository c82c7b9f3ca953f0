import { sql } from "#db/client.ts"
import { dropOldEvents } from "#server/domain/events/drop.ts"
import type { Account } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { type TestApp, type TestKey, waitFor } from "../fixtures/app.ts"
import type { Sent } from "../fixtures/http.ts"
import { member } from "../fixtures/people.ts"
import { requireReviewApproval, vendorReview } from "../fixtures/reviews.ts"
import { ask, done, FUND, get, post, SCHEMA, type Scenario, type Scenarios, withKey } from "./example.ts"

const HOOK = "https://example.com/webhooks/vouch"

const endpoint = async (app: TestApp, { apiKey: key }: TestKey, url = HOOK): Promise<string> =>
  (await done(app, { method: "POST", path: "/webhook-endpoints", key, json: { url } })).endpoint_id

/** A workspace with some events. */
async function withEvents(app: TestApp) {
  const key = await app.key()
  for (let i = 0; i < 2; i++) await app.startSession(key)
  const sent = { method: "GET", path: "/events", key: key.apiKey }
  await waitFor(async () => (await done(app, sent)).data.length === 4, "four events")
  return key
}

/** A mint that waits for approval, and the request that gets the error. */
const waiting =
  (
    last: (about: { app: TestApp; key: TestKey; id: string; minted: Sent; account: Account }) => Sent | Promise<Sent>,
  ): Scenario =>
  async (app) => {
    const { account } = await member(app)
    const key = await app.key({ account })
    const { apiKey } = key
    const { wallet } = await app.verifiedWallet(key)
    await done(app, {
      method: "POST",
      path: "/approval-policies",
      key: apiKey,
      json: { actions: ["mint"], approvals: 1 },
    })
    const json = { user_pubkey: wallet, mint_config: FUND, amount: "1000000" }
    const minted = { method: "POST", path: "/token/mint", key: apiKey, json, idempotencyKey: "mint-4711" }
    const id = (await app.request(minted)).json.approval_id as string
    return ask(app, await last({ app, key, id, minted, account }))
  }

/** Errors about objects that do not exist, exist already, or do not allow something. */
export const objects: Scenarios = {
  attestation_not_found: get(`/attestation/${newId("att")}`),
  session_not_found: get(`/kyc/session/${newId("sess")}`),
  investor_not_found: get(`/investor/${newId("inv")}`),
  erasure_not_found: get(`/erasure/${newId("era")}`),
  operation_not_found: get(`/token/operation/${newId("op")}`),
  mint_config_not_found: get("/mint-config/us_real_estate_fund_v9"),
  schema_not_found: get("/schema/kyc_individual_v9"),
  provider_not_found: (app) =>
    ask(app, {
      method: "POST",
      path: "/kyc/webhook/acme",
      headers: { "content-type": "application/json" },
      body: "{}",
    }),
  webhook_endpoint_not_found: get(`/webhook-endpoint/${newId("whe")}`),
  webhook_delivery_not_found: withKey(async (key, owner, app) => ({
    method: "GET",
    path: `/webhook-endpoint/${await endpoint(app, owner)}/deliveries/${newId("evt")}`,
    key,
  })),
  event_not_found: withKey(async (key, owner, app) => ({
    method: "POST",
    path: `/webhook-endpoint/${await endpoint(app, owner)}/replay`,
    key,
    json: { event_id: newId("evt") },
  })),
  webhook_endpoint_exists: withKey(async (key, owner, app) => {
    await endpoint(app, owner)
    return { method: "POST", path: "/webhook-endpoints", key, json: { url: HOOK } }
  }),
  webhook_endpoint_limit: withKey(async (key, owner, app) => {
    for (let i = 1; i <= 20; i++) await endpoint(app, owner, `${HOOK}/${i}`)
    return { method: "POST", path: "/webhook-endpoints", key, json: { url: HOOK } }
  }),
  webhook_endpoint_disabled: withKey(async (key, owner, app) => {
    const path = `/webhook-endpoint/${await endpoint(app, owner)}`
    await done(app, { method: "PATCH", path, key, json: { enabled: false } })
    return { method: "POST", path: `${path}/replay`, key, json: { after: 0 } }
  }),
  recovery_not_found: get(`/recovery/${newId("rec")}`),
  snapshot_not_found: get(`/snapshot/${newId("snap")}`),
  snapshot_not_ready: withKey(async (key, _owner, app) => {
    const json = { mint_config: "us_real_estate_fund_v1", record_at: "2099-01-01T00:00:00Z", name: "Record date" }
    const scheduled = await app.request({ method: "POST", path: "/snapshots", key, json })
    return { method: "GET", path: `/snapshot/${scheduled.json.snapshot_id}/holders`, key }
  }),
  distribution_not_found: get(`/distribution/${newId("dist")}`),
  payout_not_found: get(`/payout/${newId("pay")}`),
  hold_not_found: get(`/token/hold/${newId("hold")}`),
  approval_not_found: get(`/approval/${newId("apr")}`),
  approval_policy_not_found: withKey((key) => ({
    method: "DELETE",
    path: `/approval-policy/${newId("apol")}`,
    key,
  })),
  approver_missing: withKey((key) => ({
    method: "POST",
    path: "/approval-policies",
    key,
    json: { actions: ["mint"], approvals: 3 },
  })),
  approval_ended: waiting(async ({ key, id }) => {
    await sql`update approvals set expires_at = created_at where id = ${id}`
    return { method: "POST", path: `/approval/${id}/withdraw`, key: key.apiKey, json: {} }
  }),
  // The first answer to the mint was lost, so its repeat is answered with what became of it.
  approval_rejected: waiting(async ({ key: { workspaceId }, id, minted }) => {
    await sql`
      update approvals set state = 'rejected', reason = 'The amount is wrong.', ended_by = 'Ada Byron', ended_at = now()
      where id = ${id}`
    await sql`update idempotency_records set status = null, body = null where workspace_id = ${workspaceId}`
    return minted
  }),
  not_requester: waiting(async ({ app, id, account }) => {
    const other = await app.key({ account })
    return { method: "POST", path: `/approval/${id}/withdraw`, key: other.apiKey, json: {} }
  }),
  mint_config_exists: post("/mint-configs", {
    id: FUND,
    name: "US Real Estate Fund",
    symbol: "USREF",
    decimals: 6,
    required_schema: SCHEMA,
  }),
  schema_exists: post("/schemas", { id: SCHEMA, name: "Individual identity", validity_days: 365 }),
  sandbox_only: async (app) => {
    const { apiKey: key } = await app.key({ mode: "live" })
    const path = `/test/sessions/${newId("sess")}/decide`
    return ask(app, { method: "POST", path, key, json: { decision: "approved" } })
  },
  session_approved: withKey(async (key, owner, app) => {
    const { sessionId } = await app.startSession(owner)
    await app.webhook({ session_id: sessionId, decision: "approved" })
    return { method: "POST", path: `/kyc/session/${sessionId}/cancel`, key }
  }),
  review_open: withKey(async (key, owner, app) => {
    const [account] = await sql<
      { id: string }[]
    >`select account_id as id from workspaces where id = ${owner.workspaceId}`
    await requireReviewApproval(account!)
    const { sessionId } = await vendorReview(app, owner)
    return { method: "POST", path: `/kyc/session/${sessionId}/cancel`, key }
  }),
  events_expired: async (app) => {
    const { apiKey: key, workspaceId } = await withEvents(app)
    await sql`
      update events set occurred_at = occurred_at - interval '91 days'
      where workspace_id = ${workspaceId} and sequence <= 2`
    await dropOldEvents(clock.now())
    return ask(app, { method: "GET", path: "/events?after=1", key })
  },
  events_rewound: async (app) => {
    const { apiKey: key } = await withEvents(app)
    return ask(app, { method: "GET", path: "/events?cursor=9-ffffffffffff", key })
  },
}
