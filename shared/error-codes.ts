import { defineError } from "./define-error.ts"

const notFound = (what: string) =>
  defineError(404, `${what} not found`, "Check the id, and that the key belongs to the right workspace.")

/** An error that begins nothing, so that the same request may be sent again with the same key. */
const notStored = (...[status, title, fix, traits]: Parameters<typeof defineError>) =>
  defineError(status, title, fix, { isReplayed: false, ...traits })

/** The errors of the API. The dashboard uses them, too. */
export const apiErrors = {
  malformed_json: notStored(400, "The body is not valid JSON", "Send a body that is valid JSON, encoded as UTF-8."),
  malformed_request: defineError(
    400,
    "The request is malformed",
    "Encode the path and the query correctly, and send a JSON object as the body.",
  ),
  invalid_idempotency_key: notStored(
    400,
    "The Idempotency-Key is not valid",
    "Send 1 to 255 visible ASCII characters, once. A random UUID is a good key.",
  ),
  https_required: notStored(400, "HTTPS is required", "Send the request over HTTPS."),
  missing_api_key: notStored(401, "No API key was sent", "Send the header Authorization: Bearer <API_KEY>.", {
    asksForKey: true,
  }),
  invalid_api_key: notStored(
    401,
    "The API key is not valid",
    "Check the key for typing mistakes. It may have been revoked: then create another one.",
    { asksForKey: true },
  ),
  expired_api_key: notStored(401, "The API key has expired", "Create another key, or rotate this one.", {
    asksForKey: true,
  }),
  invalid_signature: defineError(
    401,
    "The webhook's signature is not valid",
    "Sign the exact bytes of the body with the shared secret, and send them within 300 seconds.",
  ),
  insufficient_scope: notStored(403, "The API key lacks a scope", "Use a key with the scope named in detail."),
  wallet_sanctioned: defineError(
    403,
    "The wallet is refused by screening",
    "Do not serve this wallet. If the match is false, an owner or a compliance officer can clear it under Reviews.",
  ),
  wallet_frozen: defineError(
    403,
    "The wallet is frozen",
    "Use another wallet, or lift the freeze with POST /token/unfreeze once its reason has ended.",
  ),
  wallet_barred: defineError(
    403,
    "The wallet was reported as lost",
    "Use another wallet of the investor. If the wallet is not lost, cancel its recovery with POST /recovery/{id}/cancel.",
  ),
  recovery_not_possible: defineError(
    403,
    "The lost wallet's tokens cannot move to this wallet",
    "Meet the condition named in detail, then make the request again. The lost wallet stays barred unless you cancel its recovery.",
  ),
  treasury_insufficient: defineError(
    403,
    "The treasury has too little",
    "Fund the account named in `detail`, which GET /treasury shows, and start the distribution again.",
  ),
  treasury_frozen: defineError(
    403,
    "The treasury's account is frozen",
    "Ask the issuer of the payment mint to thaw the account named in `detail`.",
  ),
  treasury_shared: defineError(
    403,
    "The treasury's key belongs to several workspaces",
    "Ask the deployment's operator to give this workspace its own authority, as `detail` says.",
  ),
  amount_held: defineError(
    403,
    "Part of the wallet's balance is held",
    "Move less, or release the holds named in detail. A burn or a forced transfer can name the holds that it takes from.",
  ),
  wallet_not_verified: defineError(
    403,
    "The wallet is not verified",
    "Start a verification with POST /kyc/start and wait until its status is verified.",
  ),
  country_not_allowed: defineError(
    403,
    "The investor's country is not allowed",
    "Do not serve this investor, or change the configuration's country rules.",
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
  investor_limit_reached: defineError(
    403,
    "The token has reached its maximum investors",
    "Wait until an investor leaves, or raise the limit that the detail names.",
  ),
  balance_limit_exceeded: defineError(
    403,
    "The wallet would exceed its maximum balance",
    "Send less, or raise max_balance_per_wallet.",
  ),
  investor_balance_limit_exceeded: defineError(
    403,
    "The investor would exceed their maximum balance",
    "Send less, or raise max_balance_per_investor.",
  ),
  below_minimum: defineError(
    403,
    "A wallet would hold less than the minimum",
    "Send more, send the whole balance, or lower min_balance.",
  ),
  holding_period: defineError(
    403,
    "The tokens are in their holding period",
    "Send less, or wait until the time that the detail names as next_unlock_at.",
  ),
  flowback_blocked: defineError(
    403,
    "Tokens cannot move from outside the United States to a US investor yet",
    "Wait until the time named in no_flowback_until. If a country is missing, verify the wallet with a provider that returns it.",
  ),
  supply_cap_exceeded: defineError(403, "The mint would exceed the maximum supply", "Mint less, or raise max_supply."),
  approver_missing: defineError(
    403,
    "Too few members could approve this",
    "Invite another member whose role the policy names. No one can approve their own request.",
  ),
  approval_rejected: defineError(
    403,
    "A member rejected the request",
    "Read the reason in detail, then make another request.",
  ),
  not_requester: defineError(
    403,
    "Only its requester can withdraw a request",
    "Withdraw it with the key that made it. Any approver can reject it in the dashboard.",
  ),
  account_reopening_limit: defineError(
    403,
    "The wallet's account was closed and reopened too often",
    "Wait for the next month, and ask the holder to leave the account open.",
  ),
  sol_budget_exceeded: defineError(
    403,
    "The workspace's budget of SOL for this month is used up",
    "Wait for the next month, or ask the operator to raise the budget.",
  ),
  transfers_locked: defineError(403, "Transfers are locked", "Wait until the time named in transfers_locked_until."),
  mint_paused: defineError(
    403,
    "The token is paused",
    "Unpause the configuration before you mint or move its tokens. A burn or a forced transfer can pass the pause with while_paused, once another member has approved it.",
  ),
  route_not_found: defineError(404, "Endpoint not found", "Compare the path with the API reference."),
  attestation_not_found: defineError(
    404,
    "Attestation not found",
    "Check the id or the wallet, and that the key belongs to the right workspace.",
  ),
  sandbox_only: defineError(
    403,
    "Only for sandbox sessions in test mode",
    "Use a test key and a session of the sandbox. The provider decides all other sessions.",
  ),
  session_not_found: notFound("Session"),
  investor_not_found: notFound("Investor"),
  erasure_not_found: notFound("Erasure"),
  operation_not_found: notFound("Operation"),
  hold_not_found: notFound("Hold"),
  recovery_not_found: notFound("Recovery"),
  snapshot_not_found: notFound("Snapshot"),
  distribution_not_found: notFound("Distribution"),
  payout_not_found: notFound("Payout"),
  approval_not_found: notFound("Approval"),
  approval_policy_not_found: notFound("Approval policy"),
  mint_config_not_found: defineError(
    404,
    "Mint configuration not found",
    "List the configurations with GET /mint-configs.",
  ),
  schema_not_found: defineError(404, "Schema not found", "List the schemas with GET /schemas."),
  provider_not_found: defineError(404, "KYC provider not found", "Check the provider's name in the path."),
  webhook_endpoint_not_found: defineError(
    404,
    "Webhook endpoint not found",
    "List the endpoints with GET /webhook-endpoints.",
  ),
  webhook_delivery_not_found: defineError(
    404,
    "Delivery not found",
    "List the endpoint's deliveries with GET /webhook-endpoint/{id}/deliveries.",
  ),
  event_not_found: defineError(404, "Event not found", "List the events with GET /events."),
  method_not_allowed: defineError(405, "Method not allowed", "Use a method named in Allow."),
  idempotency_in_progress: notStored(
    409,
    "The first request with this key is still running",
    "Retry with the same key after the time in Retry-After.",
    { isTimed: true },
  ),
  approval_ended: defineError(
    409,
    "The request is no longer waiting for approval",
    "Read its state with GET /approval/{id}. If it has expired or become void, make the request again.",
  ),
  hold_ended: defineError(
    409,
    "The hold has ended",
    "Read its state with GET /token/hold/{id}. Only an active hold can be released or taken from.",
  ),
  recovery_ended: defineError(
    409,
    "The recovery has ended",
    "Read its state with GET /recovery/{id}. Once tokens have moved, the lost wallet stays barred.",
  ),
  snapshot_not_ready: notStored(
    409,
    "The snapshot is not ready yet",
    "Wait until GET /snapshot/{id} says `ready`, some seconds after the record date.",
  ),
  distribution_ended: defineError(
    409,
    "The distribution has ended",
    "Read its state with GET /distribution/{id}. Payouts of a completed one can still be released or retried.",
  ),
  distribution_not_paying: defineError(
    409,
    "The distribution is not being paid",
    "Start it with POST /distribution/{id}/start, or cancel it.",
  ),
  payout_not_open: defineError(
    409,
    "The payout's status does not allow this",
    "Read it with GET /payout/{id}. Release what is withheld, retry what failed, and mark only what is owed as paid.",
  ),
  mint_config_exists: defineError(
    409,
    "The mint configuration already exists",
    "Choose another id, or use the existing one.",
  ),
  schema_exists: defineError(409, "The schema already exists", "Choose another id, or change the existing schema."),
  session_approved: defineError(
    409,
    "The session is already approved",
    "Revoke its attestation with POST /attestation/{id}/revoke.",
  ),
  review_open: defineError(
    409,
    "An open review needs two members",
    "Decide the review in the dashboard, where another member confirms the decision. Then repeat the request, if it is still needed.",
  ),
  webhook_endpoint_exists: defineError(
    409,
    "A webhook endpoint already has this address",
    "Change or delete the endpoint that has this address. GET /webhook-endpoints lists them.",
  ),
  webhook_endpoint_disabled: defineError(
    409,
    "The webhook endpoint is disabled",
    "Enable it with PATCH /webhook-endpoint/{id}. Events it missed are then delivered.",
  ),
  webhook_endpoint_limit: defineError(409, "Too many webhook endpoints", "Delete an endpoint that you no longer use."),
  events_expired: defineError(
    410,
    "The events are no longer kept",
    "Read what you missed with the list endpoints, then continue after the sequence number in the error. To start from the oldest event, leave out after and cursor.",
  ),
  events_rewound: defineError(
    410,
    "The database lacks the event of your cursor",
    "A failover or a restore lost events that you have. Continue with the cursor in the header Resume-Cursor, and ignore events whose id you have: repeated events keep their id. Compare with the list endpoints: what does not repeat is no longer recorded.",
  ),
  payload_too_large: notStored(413, "The body is too large", "Send a body within the limit named in detail."),
  unsupported_media_type: notStored(
    415,
    "The body's media type is not supported",
    "Send Content-Type: application/json.",
  ),
  validation_failed: defineError(422, "A field is missing or not valid", "Correct the field named in detail."),
  invalid_public_key: defineError(
    422,
    "The wallet address is not valid",
    "Send the base58 address of a wallet, 32 bytes when decoded.",
  ),
  wallet_cannot_sign: defineError(
    422,
    "The wallet cannot sign",
    "Use another wallet: any signature is valid for this one's key, so it cannot prove that the wallet is yours.",
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
    "Send a positive decimal number with at most as many decimals as the token has.",
  ),
  insufficient_balance: defineError(422, "The wallet's balance is too low", "Transfer at most the wallet's balance."),
  payment_mint_refused: defineError(
    422,
    "Vouch does not pay with this mint",
    "Name a mint that GET /treasury lists without a reason in `refused`.",
  ),
  not_final_yet: defineError(
    422,
    "The moment is not final yet",
    "Ask for an earlier moment, such as the one named in detail, or try again in a minute.",
  ),
  same_wallet: defineError(422, "Both wallets are the same", "Name another wallet to give the tokens to."),
  holder_consent_required: defineError(
    422,
    "The holder's consent or a document is required",
    "Send holder_consent: true, or the document_sha256 of the document that justifies it.",
  ),
  idempotency_key_reused: notStored(
    422,
    "The Idempotency-Key was used for another request",
    "Use a new key for every distinct request.",
  ),
  quota_exceeded: defineError(
    429,
    "The monthly quota is used up",
    "Wait for the next period, named in detail, or change the plan.",
    { isTimed: true },
  ),
  rate_limited: notStored(429, "Too many requests", "Retry after the time in Retry-After.", { isTimed: true }),
  internal_error: defineError(
    500,
    "Server error",
    "Retry in a moment. If the error persists, quote request_id to support.",
    { isTemporary: true },
  ),
  server_busy: defineError(
    503,
    "The server is busy",
    "Retry with the same Idempotency-Key after the time in Retry-After.",
    { isTemporary: true },
  ),
  chain_unavailable: defineError(503, "The chain is unreachable", "Retry in a moment.", { isTemporary: true }),
  database_unavailable: defineError(503, "The database is unreachable", "Retry in a moment.", { isTemporary: true }),
  provider_unavailable: defineError(503, "The KYC provider is unreachable", "Retry in a moment.", {
    isTemporary: true,
  }),
  provider_not_configured: defineError(
    503,
    "No KYC provider is configured",
    "Configure a KYC provider for this mode. A test provider never decides live sessions on a public deployment.",
  ),
  chain_not_configured: defineError(
    503,
    "No chain is configured",
    "Set SOLANA_RPC_URL for this mode. The local network never serves the live mode of a public deployment.",
  ),
}
