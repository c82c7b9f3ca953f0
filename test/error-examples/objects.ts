import { sql } from "#db/client.ts"
import { dropOldEvents } from "#server/domain/events/drop.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { type TestApp, type TestKey, waitFor } from "../fixtures/app.ts"
import { vendorReview } from "../fixtures/reviews.ts"
import { ask, done, FUND, fourEyes, get, post, SCHEMA, type Scenarios, withKey } from "./example.ts"

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
    await fourEyes(owner)
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
