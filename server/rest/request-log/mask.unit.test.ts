import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { newApiKey, startOfApiKey } from "#server/domain/accounts/keys/secret.ts"
import { MASK } from "#server/lib/without-secrets.ts"
import { openApiDocument } from "#server/rest/openapi/document.ts"
import { RouteTable } from "#server/rest/routes.ts"
import { appRouter } from "#server/trpc/router.ts"
import { ruleFields } from "#shared/rules/fields.ts"
import { maskHeaders, maskPath, maskRequestBody, maskResponseBody } from "./mask.ts"

const { routes } = new RouteTable(appRouter)
const fieldsOf = (method: string, path: string) =>
  routes.find((route) => route.method === method && route.path === path)!.fields
const start = fieldsOf("POST", "/kyc/start")
const revoke = fieldsOf("POST", "/attestation/{id}/revoke")
const mint = fieldsOf("POST", "/token/mint")
const config = fieldsOf("POST", "/mint-configs")

const apiKey = newApiKey("test")
const sessionId = "sess_Kx8vPq3mNbR5tYw2Lc7HdZ"
const wallet = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const secretKey = "4NMwxzmYj2uvHuq8xoqhY8RXg63KSVJM1DXkpbmkUY7YQWuoyQgFnnzn6yo3CMnqZasnNPNuAT2TLwQsCaKkUddp"

describe("a request's body", () => {
  test.each<[string, ReadonlySet<string>, unknown, unknown]>([
    [
      "keeps the endpoint's fields, without the customer's id of a person",
      start,
      { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: "jane@example.com" },
      { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: MASK },
    ],
    [
      "keeps the origin of a redirect without its path and query",
      start,
      { redirectUrl: "https://user:pass@example.com/welcome?customer=jane#top" },
      { redirectUrl: `https://example.com/${MASK}` },
    ],
    [
      "does not keep a redirect's path",
      start,
      { redirectUrl: "https://example.com/people/jane" },
      { redirectUrl: `https://example.com/${MASK}` },
    ],
    ["does not keep an invalid redirect", start, { redirectUrl: "javascript:alert(1)" }, { redirectUrl: MASK }],
    ["does not keep a reason", revoke, { reason: "Jane is on a list" }, { reason: MASK }],
    [
      "keeps the names of unknown fields without their values",
      start,
      { name: "Jane Doe", born: 1970, document: { number: 7 }, tags: ["x"], note: null },
      { name: MASK, born: MASK, document: MASK, tags: MASK, note: null },
    ],
    [
      "does not keep an object in place of a text",
      start,
      { schemaId: { name: "Jane" }, userPubkey: ["Jane"] },
      { schemaId: MASK, userPubkey: MASK },
    ],
    [
      "keeps the rules of a configuration, and no unknown rules",
      config,
      { id: "fund", rules: { allowed_countries: ["US", { a: "b" }], max_supply: "5", note: "Jane" } },
      { id: "fund", rules: { allowed_countries: ["US", MASK], max_supply: "5", note: MASK } },
    ],
    [
      "does not keep a secret in the wrong field",
      start,
      { userPubkey: apiKey, schemaId: sessionId },
      { userPubkey: `${startOfApiKey(apiKey)}…`, schemaId: "sess_…" },
    ],
    ["does not keep a wallet's secret key", start, { userPubkey: secretKey }, { userPubkey: MASK }],
    ["is not kept if it is not an object", start, ["jane@example.com"], MASK],
    ["is not kept if it is a string", start, "jane@example.com", MASK],
  ])("%s", (_, fields, sent, kept) => {
    expect(JSON.parse(maskRequestBody(Buffer.from(JSON.stringify(sent)), fields)!)).toEqual(kept)
  })

  test("keeps an amount digit by digit", () => {
    const body = `{"mint_config": "fund", "amount": 123456789012345678901234567890.10}`
    expect(maskRequestBody(Buffer.from(body), mint)).toBe(
      '{"mint_config":"fund","amount":123456789012345678901234567890.10}',
    )
  })

  test("leaves only its length if it is not JSON or is too long", () => {
    expect(maskRequestBody(Buffer.from('{"reason": "Jane"'), revoke)).toBe("(17 bytes that are not JSON)")
    const long = JSON.stringify({ schemaId: "x".repeat(20_000) })
    expect(maskRequestBody(Buffer.from(long), start)).toBe(`(${long.length} bytes, more than are kept)`)
  })

  test("has no entry if it is empty", () => {
    expect(maskRequestBody(Buffer.alloc(0), start)).toBeNull()
  })

  test("is masked without an error whatever its bytes are, and keeps no text of an unknown field", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        maskRequestBody(Buffer.from(bytes), start)
      }),
    )
    fc.assert(
      fc.property(fc.json(), (json) => {
        const body = `{"secret": ${json}, "schemaId": {"deep": ${json}}}`
        expect(JSON.parse(maskRequestBody(Buffer.from(body), start)!)).toEqual({
          secret: JSON.parse(json) === null ? null : MASK,
          schemaId: MASK,
        })
      }),
    )
  })
})

describe("a response body", () => {
  test("keeps no session, person's id, reason, salt or claims at any depth", () => {
    const record = {
      attestation_id: "att_4f8NqYcTzHkLwR2sVbJm9X",
      session_id: sessionId,
      external_id: "jane@example.com",
      revocation_reason: null,
      onchain: { salt: "c2FsdA", commitment: "Y29tbWl0", mint: wallet },
      claims: { country: "US" },
    }
    expect(JSON.parse(maskResponseBody(JSON.stringify({ data: [record] })).text!)).toEqual({
      data: [
        {
          ...record,
          session_id: MASK,
          external_id: MASK,
          onchain: { ...record.onchain, salt: MASK },
          claims: MASK,
        },
      ],
    })
  })

  test("keeps an error completely, with its code", () => {
    const error = { error: "unknown_schema", detail: "schemaId: is not a schema", request_id: "req_1" }
    expect(maskResponseBody(JSON.stringify(error))).toEqual({
      text: JSON.stringify(error),
      code: "unknown_schema",
    })
  })

  test("does not keep a secret that an error repeats", () => {
    const { text } = maskResponseBody(JSON.stringify({ error: "x", detail: `No path /v1/${apiKey}` }))
    expect(text).toContain(startOfApiKey(apiKey))
    expect(text).not.toContain(apiKey.slice(20))
  })
})

describe("a path", () => {
  test.each<[string, string, string]>([
    ["keeps the parameters of its endpoint", `/attestations?pubkey=${wallet}`, `/attestations?pubkey=${wallet}`],
    ["keeps no other parameters", "/attestations?email=a@b.c&limit=5", `/attestations?email=${MASK}&limit=5`],
    ["keeps no key", `/attestations/${apiKey}?x`, `/attestations/${startOfApiKey(apiKey)}…?x`],
    ["keeps no session", `/session/${sessionId}`, "/session/sess_…"],
    ["is cut after 1,000 characters", `/${"a".repeat(2000)}!`.replaceAll("a", "-"), `/${"-".repeat(999)}`],
  ])("%s", (_, sent, kept) => {
    expect(maskPath(sent, fieldsOf("GET", "/attestations"))).toBe(kept)
  })

  test("keeps no parameters without an endpoint", () => {
    expect(maskPath("/nowhere?pubkey=jane", null)).toBe(`/nowhere?pubkey=${MASK}`)
  })
})

describe("headers", () => {
  test("are kept by name, with only the start of the key", () => {
    const kept = maskHeaders({
      authorization: `Bearer ${apiKey}`,
      cookie: "session=1",
      "x-forwarded-for": "203.0.113.7",
      "webhook-signature": "v1,abc",
      "x-customer": "jane@example.com",
      "content-type": "application/json",
      "user-agent": "curl/8",
      "idempotency-key": sessionId,
    })
    expect(kept).toEqual({
      authorization: `Bearer ${startOfApiKey(apiKey)}…`,
      "content-type": "application/json",
      "user-agent": "curl/8",
      "idempotency-key": "sess_…",
    })
  })
})

// Lists each response field, so that someone decides about a new one.
test("every field of a logged response is deliberately kept or masked", () => {
  const document = openApiDocument()
  const names = new Set<string>()
  const seen = new Set<string>()
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    for (const [name, value] of Object.entries(node)) {
      if (name === "$ref" && !seen.has(value)) {
        seen.add(value)
        const [kind, component] = (value as string).split("/").slice(2)
        walk(document.components[kind as "schemas"][component!])
      }
      if (name === "properties") for (const field of Object.keys(value)) names.add(field)
      if (name !== "example" && name !== "examples") walk(value)
    }
  }
  for (const { path, method, meta } of routes) {
    if (!meta.open) walk(document.paths[path]![method.toLowerCase()]!.responses)
  }
  const isMasked = (field: string) => maskResponseBody(JSON.stringify({ [field]: "x" })).text!.includes(MASK)
  const masked = `
    body external_id headers public_reason reason response revocation_reason salt secret session_id session_url url`
  expect([...names].filter(isMasked).sort()).toEqual(masked.trim().split(/\s+/))
  const kept = `
    account acquired_at action actions address allocated allowed amount anchor_tx answer approval_id approvals
    approvals_needed as_of at attempt_log attempts attestation_id attestations authority available balance
    balances barred_since begun_at blocked_by budget_lamports by chain changed cluster code commitment complete
    confirmed_at consented_at cost created_at cursor data days decided_at decided_by decimals decision delivered
    description detail digest disabled_at disabled_reason distribution_id document_sha256 done_at ended_at ending
    endpoint_id erased_at erasure_id error event_id events exclude exemption expires_at expires_in_hours
    extensions external_paid external_reference failed failing_since fee_lamports finalized_at from_pubkey frozen
    given held hold_id holder_consent holders id included incoming incomplete_since investor_id investors
    issued_at key_id kind last_cursor last_error last_sequence last_status_code latency_ms locked locked_until lost_wallet lot_id min_amount
    minimum mint mint_config mode name needed new_wallet next_attempt_at next_cursor next_unlock_at non_us
    occurred_at onchain onchain_account onchain_tx operation_id ordered outcome outgoing paid paid_at paid_to
    paused paused_because payment_mint payout_id payouts pending per_unit percent period_end period_start plan
    policy_id positions previous_secret_until program provider ready_at reason_code record_at recovery_id
    reference refused remainder remaining reminder_days rent_lamports request request_id requested_by requester_id
    required_schema review_id revoked revoked_at roles rules schema scopes sequence settlement sha256 since slot
    snapshot_id started_at state status status_code subject submitted supply symbol time to_pubkey token_account
    total transactions transfer_mode type types units us used user_pubkey user_pubkeys validity_days
    vendor_redactions verifications wallet_freeze wallet_proof wallet_proof_setting wallet_proved_at wallets
    withheld withheld_reason workspace_id`
  const rules = ruleFields.map(({ name }) => name)
  expect([...names].filter((field) => !isMasked(field)).sort()).toEqual([...kept.trim().split(/\s+/), ...rules].sort())
})
