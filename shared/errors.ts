import { defineError } from "./define-error.ts"

/**
 * Every error that Vouch can answer with. The REST adapter, the OpenAPI document and the pages at /docs/errors/{code}
 * all read this one table.
 */
export const errors = {
  malformed_json: defineError(
    400,
    "The body is not valid JSON",
    "Send a body that is valid JSON, encoded as UTF-8.",
    { isReplayed: false },
  ),
  malformed_request: defineError(
    400,
    "The request is malformed",
    "Encode the path and the query correctly, and send a JSON object as the body.",
  ),
  invalid_idempotency_key: defineError(
    400,
    "The Idempotency-Key is not valid",
    "Send 1 to 255 visible ASCII characters, once. A random UUID is a good key.",
    { isReplayed: false },
  ),
  https_required: defineError(400, "HTTPS is required", "Send the request over HTTPS.", {
    isReplayed: false,
  }),
  missing_api_key: defineError(
    401,
    "No API key was sent",
    "Send the header Authorization: Bearer <API_KEY>.",
    { isReplayed: false, asksForKey: true },
  ),
  invalid_api_key: defineError(
    401,
    "The API key is not valid",
    "Check the key for typing mistakes, or create another one: it may have been revoked.",
    { isReplayed: false, asksForKey: true },
  ),
  expired_api_key: defineError(401, "The API key has expired", "Create another key, or rotate this one.", {
    isReplayed: false,
    asksForKey: true,
  }),
  invalid_signature: defineError(
    401,
    "The webhook's signature is not valid",
    "Sign the exact bytes of the body with the shared secret, and send them within 300 seconds.",
  ),
  not_signed_in: defineError(401, "Not signed in", "Sign in to the dashboard, then try again.", {
    isDashboardOnly: true,
  }),
  insufficient_scope: defineError(
    403,
    "The API key lacks a scope",
    "Use a key that carries the scope named in detail.",
    { isReplayed: false },
  ),
  cross_site_request: defineError(
    403,
    "The request comes from another site",
    "Open the dashboard itself, and try again there.",
    { isDashboardOnly: true },
  ),
  wallet_not_verified: defineError(
    403,
    "The wallet is not verified",
    "Start a verification with POST /kyc/start and wait until its status is verified.",
  ),
  country_not_allowed: defineError(
    403,
    "The investor's country is not allowed",
    "The configuration's country rules do not admit this investor.",
  ),
  not_accredited: defineError(
    403,
    "The investor is not accredited",
    "Verify the wallet with a schema whose provider confirms accreditation.",
  ),
  holder_limit_reached: defineError(
    403,
    "The token has reached its maximum holders",
    "Wait until a holder leaves, or raise max_holders.",
  ),
  balance_limit_exceeded: defineError(
    403,
    "The wallet would exceed its maximum balance",
    "Send less, or raise max_balance_per_wallet.",
  ),
  supply_cap_exceeded: defineError(
    403,
    "The mint would exceed the maximum supply",
    "Mint less, or raise max_supply.",
  ),
  transfers_locked: defineError(
    403,
    "Transfers are locked",
    "Wait until the time named in transfers_locked_until.",
  ),
  mint_paused: defineError(
    403,
    "The token is paused",
    "Unpause the configuration before minting or moving its tokens.",
  ),
  workspace_not_found: defineError(
    404,
    "Workspace not found",
    "Choose one of your workspaces on the start page.",
    { isDashboardOnly: true },
  ),
  member_not_found: defineError(404, "Member not found", "Reload the list of members.", {
    isDashboardOnly: true,
  }),
  invalid_link: defineError(
    404,
    "The link does not work",
    "It was already used or has expired. Ask for a new one.",
    { isDashboardOnly: true },
  ),
  route_not_found: defineError(404, "Endpoint not found", "Compare the path with the API reference."),
  attestation_not_found: defineError(
    404,
    "Attestation not found",
    "Check the id or the wallet, and that the key belongs to the right workspace.",
  ),
  operation_not_found: defineError(
    404,
    "Operation not found",
    "Check the id, and that the key belongs to the right workspace.",
  ),
  mint_config_not_found: defineError(
    404,
    "Mint configuration not found",
    "List the configurations with GET /mint-configs.",
  ),
  key_not_found: defineError(
    404,
    "API key not found",
    "List the keys of this workspace. A revoked key cannot be rotated: create a new one.",
    { isDashboardOnly: true },
  ),
  request_not_found: defineError(
    404,
    "Request not found in the log",
    "Check the id and the workspace. Requests with a valid key are kept for 30 days; others are not logged.",
    { isDashboardOnly: true },
  ),
  schema_not_found: defineError(404, "Schema not found", "List the schemas of this workspace.", {
    isDashboardOnly: true,
  }),
  provider_not_found: defineError(404, "KYC provider not found", "Check the provider's name in the path."),
  method_not_allowed: defineError(405, "Method not allowed", "Use a method named in Allow."),
  idempotency_in_progress: defineError(
    409,
    "The first request with this key is still running",
    "Retry with the same key after the time in Retry-After.",
    { isTimed: true, isReplayed: false },
  ),
  email_unconfirmed: defineError(
    403,
    "The email address is not confirmed",
    "Open the link that was mailed to the address.",
    { isDashboardOnly: true },
  ),
  email_taken: defineError(
    409,
    "The email address is already in use",
    "Sign in as that person, and open the link again.",
    { isDashboardOnly: true },
  ),
  account_exists: defineError(409, "The name is already in use", "Choose a different name.", {
    isDashboardOnly: true,
  }),
  last_owner: defineError(409, "An account needs an owner", "Make another member an owner first.", {
    isDashboardOnly: true,
  }),
  mint_config_exists: defineError(
    409,
    "The mint configuration already exists",
    "Choose another id, or use the existing one.",
  ),
  schema_exists: defineError(
    409,
    "The schema already exists",
    "Choose another id or change the existing schema.",
    { isDashboardOnly: true },
  ),
  payload_too_large: defineError(
    413,
    "The body is too large",
    "Send a body within the limit named in detail.",
    { isReplayed: false },
  ),
  unsupported_media_type: defineError(
    415,
    "The body's media type is not supported",
    "Send Content-Type: application/json.",
    { isReplayed: false },
  ),
  validation_failed: defineError(
    422,
    "A field is missing or not valid",
    "Correct the field named in detail.",
  ),
  invalid_public_key: defineError(
    422,
    "The wallet address is not valid",
    "Send the base58 address of a wallet, 32 bytes when decoded.",
  ),
  unknown_schema: defineError(422, "Schema not found", "List the schemas with GET /schemas."),
  unknown_mint_config: defineError(
    422,
    "Mint configuration not found",
    "List the configurations with GET /mint-configs.",
  ),
  invalid_amount: defineError(
    422,
    "The amount is not valid",
    "Send a positive decimal with no more places than the token has decimals.",
  ),
  insufficient_balance: defineError(
    422,
    "The wallet's balance is too low",
    "Transfer at most the wallet's balance.",
  ),
  idempotency_key_reused: defineError(
    422,
    "The Idempotency-Key was used for another request",
    "Use a new key for every distinct request.",
    { isReplayed: false },
  ),
  quota_exceeded: defineError(
    429,
    "The monthly quota is used up",
    "Wait for the next period, named in detail, or change the plan.",
    { isTimed: true },
  ),
  rate_limited: defineError(429, "Too many requests", "Retry after the time in Retry-After.", {
    isTimed: true,
    isReplayed: false,
  }),
  internal_error: defineError(
    500,
    "Server error",
    "Retry in a moment. If it goes on, quote request_id to support.",
  ),
  server_busy: defineError(
    503,
    "The server is busy",
    "Retry with the same Idempotency-Key after the time in Retry-After.",
  ),
  mail_failed: defineError(
    503,
    "The email could not be sent",
    "Check VOUCH_SMTP_URL, or send the link yourself.",
    { isDashboardOnly: true },
  ),
  chain_unavailable: defineError(503, "The chain is unreachable", "Retry in a moment."),
  database_unavailable: defineError(503, "The database is unreachable", "Retry in a moment."),
  provider_unavailable: defineError(503, "The KYC provider is unreachable", "Retry in a moment."),
  provider_not_configured: defineError(
    503,
    "No KYC provider is configured",
    "Configure a KYC provider for this mode; the sandbox never decides live cases of a public deployment.",
  ),
  chain_not_configured: defineError(
    503,
    "No chain is configured",
    "Set SOLANA_RPC_URL for this mode; the local network never serves live cases of a public deployment.",
  ),
}

export type ErrorCode = keyof typeof errors

export const errorCodes = Object.keys(errors) as ErrorCode[]

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code)

/** What the API answers with. */
export const apiErrorCodes = errorCodes.filter((code) => !errors[code].isDashboardOnly)

export const statusOf = (code: ErrorCode): number => errors[code].status

/** Whether, and when, the same request may succeed. */
export function retryAdvice(code: ErrorCode): string {
  const { status, isDashboardOnly, isTimed } = errors[code]
  if (isDashboardOnly) return "Only the dashboard returns this error, not the API."
  if (isTimed) return "The header Retry-After says after how many seconds to retry."
  return status >= 500
    ? "Retrying with the same Idempotency-Key is safe: nothing happens twice."
    : "Retrying won't help until the data or the rules change."
}

export type ErrorOptions = {
  cause?: unknown
  retryAfterSeconds?: number
  /** The rest of the request is not read: its connection cannot be used again. */
  endsConnection?: boolean
}

/** An error response of the API or dashboard. Thrown where the problem is found, rendered once by the transport. */
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
