import type { ErrorCode } from "./contract.ts"

export type ClientErrorCode =
  /** Failures outside the API: no response, none in time, or one that is not the API's. */
  | "connection_failed"
  | "timeout"
  | "unexpected_response"
  /** A policy of the workspace requires other members: nothing has happened yet. `approvalId` says what to poll. */
  | "awaiting_approval"
  /** From `verifyOnChain`: too many transactions name the credential's account. Pass `transaction`. */
  | "history_too_long"
  /** From `verifyOnChain`: the wallet has too many token accounts to check them all. Pass `transaction` or `mint`. */
  | "too_many_accounts"

/**
 * Why a request failed, after all retries. A newer server may send a code that this version does not know: handle it by its
 * status.
 */
export class VouchError extends Error {
  override readonly name = "VouchError"
  /** The error code, for your program. */
  readonly code: ErrorCode | ClientErrorCode
  /** For people: names the field and says what to do. */
  readonly detail: string
  /** The HTTP status. Null without a response, or for an operation that failed later. */
  readonly status: number | null
  /** Quote it to support. */
  readonly requestId: string | null
  /** Seconds to wait before a retry, if the server says so. */
  readonly retryAfterSeconds: number | null
  /** With `events_rewound`: the cursor to continue from. */
  readonly resumeCursor: string | null
  /** With `awaiting_approval`: the approval, for `getApproval`. */
  readonly approvalId: string | null

  constructor(
    code: ErrorCode | ClientErrorCode,
    detail: string,
    about: {
      status?: number | null
      requestId?: string | null
      retryAfterSeconds?: number | null
      resumeCursor?: string | null
      approvalId?: string | null
      cause?: unknown
    } = {},
  ) {
    const { status = null, requestId = null, retryAfterSeconds = null, cause } = about
    const { resumeCursor = null, approvalId = null } = about
    super(`${code}: ${detail}${requestId === null ? "" : ` (${requestId})`}`, cause === undefined ? {} : { cause })
    this.code = code
    this.detail = detail
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.resumeCursor = resumeCursor
    this.approvalId = approvalId
  }
}
