/**
 * Every error that Vouch can answer with: status, title, and what a caller does about it.
 *
 * The REST adapter, the OpenAPI document and the pages at /docs/errors/{code} all read this one table.
 */
export const errors = {
  malformed_json: [400, "The body is not JSON", "Send a body that is valid JSON, encoded as UTF-8."],
  malformed_request: [
    400,
    "The request cannot be read",
    "Encode the path and the query correctly, and send a JSON object as the body.",
  ],
  invalid_idempotency_key: [
    400,
    "The Idempotency-Key is not usable",
    "Send 1 to 255 visible ASCII characters, once. A random UUID is a good key.",
  ],
  https_required: [400, "HTTPS is required", "Send the request over HTTPS."],
  missing_api_key: [401, "No API key was sent", "Send the header Authorization: Bearer <API_KEY>."],
  invalid_api_key: [
    401,
    "The API key is not valid",
    "Check the key for typing mistakes, or create another one: it may have been revoked.",
  ],
  expired_api_key: [401, "The API key has expired", "Create another key, or rotate this one."],
  invalid_signature: [
    401,
    "The webhook's signature is not valid",
    "Sign the exact bytes of the body with the shared secret, and send them within 300 seconds.",
  ],
  not_signed_in: [401, "Nobody is signed in", "Sign in to the dashboard, then try again."],
  insufficient_scope: [403, "The API key lacks a scope", "Use a key that carries the scope named in detail."],
  cross_site_request: [
    403,
    "The request comes from another site",
    "Open the dashboard itself, and try again there.",
  ],
  wallet_not_verified: [
    403,
    "The wallet is not verified",
    "Start a verification with POST /kyc/start and wait until its status is verified.",
  ],
  country_not_allowed: [
    403,
    "The investor's country is not admitted",
    "The configuration's country rules do not admit this investor.",
  ],
  not_accredited: [
    403,
    "The investor is not accredited",
    "Verify the wallet with a schema whose provider confirms accreditation.",
  ],
  holder_limit_reached: [
    403,
    "The token has as many holders as it may have",
    "Wait until a holder leaves, or raise max_holders.",
  ],
  balance_limit_exceeded: [
    403,
    "The wallet would hold more than it may",
    "Send less, or raise max_balance_per_wallet.",
  ],
  supply_cap_exceeded: [403, "The supply cap would be passed", "Mint less, or raise max_supply."],
  transfers_locked: [403, "Transfers are locked", "Wait until the time named in transfers_locked_until."],
  mint_paused: [403, "The token is paused", "Unpause the configuration before minting or moving its tokens."],
  workspace_not_found: [404, "There is no such workspace", "Choose one of your own at the start page."],
  member_not_found: [404, "There is no such member", "Open the list of members again."],
  invalid_link: [404, "The link does not work", "It was used before or has expired. Ask for another one."],
  route_not_found: [404, "There is no such endpoint", "Compare the path with the API reference."],
  attestation_not_found: [
    404,
    "There is no such attestation",
    "Check the id or the wallet, and that the key belongs to the right workspace.",
  ],
  operation_not_found: [
    404,
    "There is no such operation",
    "Check the id, and that the key belongs to the right workspace.",
  ],
  mint_config_not_found: [
    404,
    "There is no such mint configuration",
    "List the configurations with GET /mint-configs.",
  ],
  key_not_found: [
    404,
    "There is no such API key",
    "List the keys of this workspace. One that was revoked cannot be rotated: create another.",
  ],
  request_not_found: [
    404,
    "There is no such request in the log",
    "Check the id and the workspace. Requests are kept for 30 days, and those without a valid key not at all.",
  ],
  schema_not_found: [404, "There is no such schema", "List the schemas of this workspace."],
  provider_not_found: [404, "There is no such KYC provider", "Check the provider's name in the path."],
  method_not_allowed: [405, "The endpoint does not take this method", "Use a method named in Allow."],
  idempotency_in_progress: [
    409,
    "The first request with this key is still running",
    "Retry with the same key after the time in Retry-After.",
  ],
  email_unconfirmed: [
    403,
    "The email address is not confirmed",
    "Open the link that was mailed to the address.",
  ],
  email_taken: [409, "The address belongs to somebody", "Sign in as that person, and open the link again."],
  account_exists: [409, "The name belongs to another account", "Choose a different name."],
  last_owner: [409, "An account needs an owner", "Make somebody else an owner first."],
  mint_config_exists: [
    409,
    "The mint configuration exists already",
    "Choose another id, or use the existing one.",
  ],
  schema_exists: [409, "The schema exists already", "Choose another id, or change the existing one."],
  payload_too_large: [413, "The body is too large", "Send a body within the limit named in detail."],
  unsupported_media_type: [
    415,
    "The body's media type is not supported",
    "Send Content-Type: application/json.",
  ],
  validation_failed: [422, "A field is missing or not valid", "Correct the field named in detail."],
  invalid_public_key: [
    422,
    "The wallet address is not valid",
    "Send the base58 address of a wallet, 32 bytes when decoded.",
  ],
  unknown_schema: [422, "There is no such schema", "List the schemas with GET /schemas."],
  unknown_mint_config: [
    422,
    "There is no such mint configuration",
    "List the configurations with GET /mint-configs.",
  ],
  invalid_amount: [
    422,
    "The amount is not valid",
    "Send a positive decimal with no more places than the token has decimals.",
  ],
  insufficient_balance: [422, "The wallet holds less than that", "Transfer at most the wallet's balance."],
  idempotency_key_reused: [
    422,
    "The Idempotency-Key was used for another request",
    "Use a new key for every distinct request.",
  ],
  quota_exceeded: [
    429,
    "The monthly quota is used up",
    "Wait for the next period, named in detail, or change the plan.",
  ],
  rate_limited: [429, "Too many requests", "Retry after the time in Retry-After."],
  internal_error: [
    500,
    "Something failed on our side",
    "Retry in a moment. If it goes on, quote request_id to support.",
  ],
  server_busy: [
    503,
    "The server has too much to do",
    "Retry with the same Idempotency-Key after the time in Retry-After.",
  ],
  mail_failed: [503, "The mail could not be sent", "Check VOUCH_SMTP_URL, or pass the link on yourself."],
  chain_unavailable: [503, "The chain cannot be reached", "Retry in a moment."],
  database_unavailable: [503, "The database cannot be reached", "Retry in a moment."],
  provider_unavailable: [503, "The KYC provider cannot be reached", "Retry in a moment."],
  provider_not_configured: [
    503,
    "No KYC provider is configured",
    "Configure a KYC provider for this mode; the sandbox never decides live cases of a public deployment.",
  ],
  chain_not_configured: [
    503,
    "No chain is configured",
    "Set SOLANA_RPC_URL for this mode; the local network never serves live cases of a public deployment.",
  ],
} as const satisfies Record<string, readonly [status: number, title: string, fix: string]>

export type ErrorCode = keyof typeof errors

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code)

/** What only the dashboard's own procedures answer: no part of the API. */
export const dashboardErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "not_signed_in",
  "cross_site_request",
  "workspace_not_found",
  "member_not_found",
  "invalid_link",
  "key_not_found",
  "request_not_found",
  "schema_not_found",
  "email_unconfirmed",
  "email_taken",
  "account_exists",
  "last_owner",
  "schema_exists",
  "mail_failed",
])

export const statusOf = (code: ErrorCode): number => errors[code][0]

export type ErrorOptions = {
  cause?: unknown
  retryAfterSeconds?: number
  /** The rest of the request is not read: its connection cannot be used again. */
  endsConnection?: boolean
}

/** An answer that is one of ours. Thrown once where the trouble is seen, rendered once by the adapter. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly endsConnection: boolean
  constructor(code: ErrorCode, detail: string, options: ErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = "Failure"
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.endsConnection = options.endsConnection ?? false
  }
}

/** Ends the request with `code`; `detail` names the field and says what to do. */
export function fail(code: ErrorCode, detail: string, options?: ErrorOptions): never {
  throw new Failure(code, detail, options)
}
