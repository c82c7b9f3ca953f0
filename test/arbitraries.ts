import fc from "fast-check"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "./app.ts"

// What a client might send: rightly, wrongly, and as nobody would by mistake.

const nasty = fc.constantFrom(
  "",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\u202e",
  "\uFEFF",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "../../etc/passwd",
  "%00",
  "%2F",
  "' or 1=1 --",
  "x".repeat(10_000),
  "-1",
  "NaN",
  "1e309",
)
const text = fc.oneof(nasty, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string())
export const json = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.jsonValue({ maxDepth: 6 }),
  fc.constantFrom(null, true, 0, -1, 1e308, [], {}, [[]], { length: 1 }, { toJSON: 1 }),
  text.map((name) => JSON.parse(`{${JSON.stringify(name)}: {"__proto__": {"polluted": 1}}}`)),
)
/** An object with our fields, each right, wrong or missing, and perhaps more. */
export const bodyOf = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.record(
        Object.fromEntries(
          Object.entries(fields).map(([name, right]) => [
            name,
            fc.oneof({ weight: 2, arbitrary: right }, json),
          ]),
        ),
        { requiredKeys: [] },
      ),
      fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.dictionary(text, json, { maxKeys: 3 })),
    )
    .map(([ours, more]) => ({ ...more, ...ours }))

const wallet = fc.constant(null).map(newWallet)
const schema = fc.constantFrom("kyc_individual_v1", "kyc_business_v1", "none_v1")
const config = fc.constantFrom("us_real_estate_fund_v1", "none_v1")
const amount = fc.oneof(
  fc.constantFrom(
    "1",
    "0.000001",
    "18446744073709551615",
    "18446744073709551616",
    1,
    0.1,
    2 ** 53,
    1e21,
    5e-324,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt().map(String),
)
const rules = bodyOf({
  allowed_countries: fc.array(fc.constantFrom("US", "CA", "us")),
  blocked_countries: fc.array(fc.constantFrom("KP", "")),
  require_accredited: fc.boolean(),
  max_supply: amount,
  max_holders: fc.integer(),
  max_balance_per_wallet: amount,
  transfers_locked_until: fc.constantFrom("2027-01-01T00:00:00Z", "2027-13-01T00:00:00Z", "now"),
})
const schemaFields = {
  name: fc.string(),
  validity_days: fc.integer({ min: 1, max: 3650 }),
  wallet_proof: fc.constantFrom(true, false, null),
  reminder_days: fc.array(fc.integer({ min: 1, max: 365 })),
}
// What succeeds is not waited for: there is no worker here.
export const headers = { prefer: "respond-async" }
export const bodies = {
  "/kyc/start": bodyOf({
    userPubkey: wallet,
    schemaId: schema,
    redirectUrl: fc.webUrl(),
    externalId: fc.string(),
  }),
  [`/attestation/${newId("att")}/revoke`]: bodyOf({ reason: fc.string() }),
  "/token/mint": bodyOf({ user_pubkey: wallet, mint_config: config, amount }),
  "/token/transfer": bodyOf({ from_pubkey: wallet, to_pubkey: wallet, mint_config: config, amount }),
  "/mint-configs": bodyOf({
    id: fc.stringMatching(/^[a-z0-9][a-z0-9_]{0,63}$/),
    name: fc.string(),
    symbol: fc.stringMatching(/^[A-Z]{1,10}$/),
    decimals: fc.integer({ min: 0, max: 9 }),
    required_schema: schema,
    transfer_mode: fc.constantFrom("agent", "holder"),
    rules,
  }),
  "/mint-config/none_v1/pause": bodyOf({}),
  "/schemas": bodyOf({
    id: fc.stringMatching(/^[a-z][a-z0-9_]{2,63}$/),
    ...schemaFields,
  }),
}

/** The same of changes. */
export const changes = {
  "/mint-config/us_real_estate_fund_v1": bodyOf({
    name: fc.string(),
    decimals: fc.integer({ min: 0, max: 9 }),
    required_schema: schema,
    transfer_mode: fc.constantFrom("agent", "holder"),
    rules,
  }),
  "/schema/kyc_business_v1": bodyOf(schemaFields),
}
