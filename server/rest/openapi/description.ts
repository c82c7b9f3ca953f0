/** The document's description of the whole service. */
export const description = `Vouch verifies the person behind a Solana wallet, records the result on chain, and mints and transfers
tokens that only verified wallets can receive.

**Keys.** Send \`Authorization: Bearer <API_KEY>\` to every endpoint, unless it says otherwise. A key belongs to one
workspace, live or test, and cannot access any other.

**Bodies** are JSON in UTF-8, at most 64 KiB (webhooks 256 KiB). Unknown fields and unknown or repeated query
parameters are refused. Times are UTC, ISO 8601, to the second. Times in list filters may have fractions of a second.
Addresses and signatures are base58.

**Errors** have exactly three fields: \`error\`, a code for your program; \`detail\`, a sentence for people that names
the field and says what to do; \`request_id\`, to quote to support. Each code has a page at
\`/docs/errors/{code}\`. An unknown path is 404 \`route_not_found\`; an unsupported method is 405
\`method_not_allowed\` with the header \`Allow\`. HEAD works like GET without a body; OPTIONS returns 204 with
\`Allow\`.

**Idempotency.** If an endpoint accepts the header \`Idempotency-Key\`, the first response below 500 is stored for 24
hours. A repeat gets the same status and body with \`Idempotent-Replayed: true\`. After a 5xx or no response, retry
the same request with the same key: it continues what the first attempt began.

**Rate limits.** Each key may send a number of requests per second; see the headers \`RateLimit\` and
\`RateLimit-Policy\`. Monthly quotas are counted separately: see \`GET /usage\`.

**Versions.** Within \`/v1\` changes are additive: new endpoints, optional fields, error codes. Ignore unknown fields,
and handle an unknown code by its status.`

/** The groups of endpoints in the order of the reference. Groups without endpoints are not shown. */
export const tags: Record<string, string> = {
  KYC: "Verify the person behind a wallet: start a session, get the wallet's status, receive the provider's decisions.",
  Attestation: "Get, list and revoke attestations, with everything needed to verify them on chain.",
  Investor: "Find the person behind any number of wallets.",
  Privacy: "Erase the data about a person.",
  Token: "Mint, transfer and burn tokens, get operations and balances.",
  Register: "Snapshots of who held a token on a record date, with a hash on chain.",
  Approvals: "Acts that other members must approve, and the policies that say which.",
  Distribution: "Pay the holders of a token: draft, approval, payouts and what is still owed.",
  Treasury: "What distributions are paid with.",
  "Mint configurations": "The tokens of a workspace and their rules.",
  Schemas: "The checks of a workspace, and how long a verification stays valid.",
  Usage: "The key of the request, and how much of the monthly quota is used.",
  Events: "What happened in the workspace, numbered without a gap.",
  Webhooks: "Endpoints to which Vouch sends events, signed with Standard Webhooks, and the result of each delivery.",
  Health: "The service's health.",
  Description: "The OpenAPI document.",
}
