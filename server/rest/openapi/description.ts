/** What the document says of the service as a whole. */
export const description = `Vouch verifies the person behind a Solana wallet, records it on chain, and mints and moves tokens that
the chain refuses to unverified wallets.

**Keys.** Every endpoint takes \`Authorization: Bearer <API_KEY>\`, except those that say otherwise. A key
belongs to one workspace, live or test, and sees nothing of another one.

**Bodies** are JSON in UTF-8, at most 64 KiB (webhooks 256 KiB). Unknown fields and unknown or repeated query
parameters are refused. Times are UTC, ISO 8601, to the second; addresses and signatures are base58.

**Errors** have exactly three fields: \`error\`, a code to act on; \`detail\`, a sentence for a person, which names
the field and says what to do; \`request_id\`, to quote to support. Each code has a page at
\`/docs/errors/{code}\`. A path that does not exist answers 404 \`route_not_found\`; a method that an endpoint does
not take, 405 \`method_not_allowed\` with the header \`Allow\`. HEAD answers like GET without a body, and OPTIONS
204 with \`Allow\`.

**Idempotency.** Where the header \`Idempotency-Key\` is accepted, the first answer below 500 is stored for 24
hours, and a repeat gets the same status and body with \`Idempotent-Replayed: true\`. After a 5xx, or no answer at
all, send the same request with the same key again: it joins what the first attempt began.

**Rates.** Each key may send a number of requests per second; \`RateLimit\` and \`RateLimit-Policy\` tell where it
stands. Monthly quotas are counted apart: see \`GET /usage\`.

**Versions.** Within \`/v1\` changes are additive: new endpoints, optional fields, error codes. Ignore fields that
you do not know, and treat an unknown code by its status.`

/** The groups of endpoints, in the order of the reference. Only those that have endpoints are shown. */
export const tags: Record<string, string> = {
  KYC: "Verify the person behind a wallet: start a session, get the wallet's status, take the provider's decisions.",
  Attestation:
    "The records of verified wallets, with what is needed to check them on chain, and their revocation.",
  Token: "Mint and move tokens of verified wallets, follow the operations, and read balances.",
  "Mint configurations": "The tokens of a workspace and the rules that bind them.",
  Schemas: "What can be verified, and for how long it holds.",
  Usage: "How much of the monthly quota is used.",
  Health: "How the service is.",
  Description: "This description, for machines.",
}
