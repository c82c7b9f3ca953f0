import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, signWebhook } from "../fixtures/app.ts"
import { ask, done, get, post, SCHEMA, type Scenarios, withKey } from "./example.ts"

const json = { "content-type": "application/json" }
const start = () => ({ userPubkey: newWallet(), schemaId: SCHEMA })

/** Errors about the request itself: its form, its key, its fields. */
export const requests: Scenarios = {
  malformed_json: withKey((key) => ({
    method: "POST",
    path: "/kyc/start",
    key,
    headers: json,
    body: `{"schemaId": "${SCHEMA}",}`,
  })),
  malformed_request: get("/attestations?external_id=%zz"),
  invalid_idempotency_key: withKey((key) => ({
    method: "POST",
    path: "/kyc/start",
    key,
    headers: { "idempotency-key": "order 4711" },
    json: start(),
  })),
  missing_api_key: (app) => ask(app, { method: "GET", path: "/usage" }),
  invalid_api_key: (app) => ask(app, { method: "GET", path: "/usage", key: "vouch_live_4kTzQm8RbWx2LpYs6VdHcN" }),
  expired_api_key: async (app) => {
    const { apiKey } = await app.key({ expiresAt: new Date(Date.now() - 1) })
    return ask(app, { method: "GET", path: "/usage", key: apiKey })
  },
  invalid_signature: (app) => {
    const body = JSON.stringify({
      type: "verification.completed",
      data: { session_id: newId("sess"), decision: "approved", occurred_at: "2026-01-02T03:04:05Z" },
    })
    const signature = `v1,${"A".repeat(43)}=`
    const headers = { ...signWebhook(newId("evt"), body), "webhook-signature": signature }
    return ask(app, { method: "POST", path: "/kyc/webhook", headers, body })
  },
  insufficient_scope: async (app) => {
    const { apiKey } = await app.key({ scopes: ["kyc:read", "kyc:write"] })
    return ask(app, { method: "GET", path: "/attestations", key: apiKey })
  },
  route_not_found: get("/usage/"),
  method_not_allowed: get("/token/mint"),
  payload_too_large: withKey((key) => ({
    method: "POST",
    path: `/attestation/${newId("att")}/revoke`,
    key,
    json: { reason: "x".repeat(65_536) },
  })),
  unsupported_media_type: withKey((key) => ({
    method: "POST",
    path: "/kyc/start",
    key,
    headers: { "content-type": "text/plain" },
    body: JSON.stringify(start()),
  })),
  validation_failed: withKey((key) => ({
    method: "POST",
    path: "/kyc/start",
    key,
    json: { userPubKey: newWallet(), schemaId: SCHEMA, redirectUrl: "http://example.com/done" },
  })),
  invalid_public_key: post("/kyc/start", {
    userPubkey: "0x52908400098527886E0F7030069857D2E4169EE7",
    schemaId: SCHEMA,
  }),
  unknown_schema: post("/kyc/start", { userPubkey: newWallet(), schemaId: "kyc_individual_v9" }),
  unknown_mint_config: post("/token/mint", {
    user_pubkey: newWallet(),
    mint_config: "us_real_estate_fund_v9",
    amount: "25",
  }),
  invalid_amount: post("/token/mint", {
    user_pubkey: newWallet(),
    mint_config: "us_real_estate_fund_v1",
    amount: "0.00000001",
  }),
  idempotency_key_reused: async (app) => {
    const { apiKey: key } = await app.key()
    const sent = { method: "POST", path: "/kyc/start", key, idempotencyKey: "onboarding-4711" }
    await done(app, { ...sent, json: start() })
    return ask(app, { ...sent, json: start() })
  },
  quota_exceeded: async (app) => {
    const key = await app.key({ mode: "live", plan: "enterprise", quota: 1 })
    await app.startSession(key)
    return ask(app, { method: "POST", path: "/kyc/start", key: key.apiKey, json: start() })
  },
  sol_budget_exceeded: async (app) => {
    const key = await app.key()
    await sql`update workspaces set budget = 1 where id = ${key.workspaceId}`
    await app.startSession(key)
    return ask(app, { method: "POST", path: "/kyc/start", key: key.apiKey, json: start() })
  },
}
