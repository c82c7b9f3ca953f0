import type { ErrorCode } from "./contract.ts"

export type ClientErrorCode =
  /** What goes wrong before or after the API: no response, none in time, or one that is not the API's. */
  | "connection_failed"
  | "timeout"
  | "unexpected_response"
  /** Of `verifyOnChain`: too many transactions name the credential's account. Give `transaction`. */
  | "history_too_long"
  /** Of `verifyOnChain`: the wallet has too many token accounts to look at them all. Give `transaction`, or `mint`. */
  | "too_many_accounts"

/**
 * Why a request failed, once it is not retried any more. A newer server may send a code that this version does not know:
 * handle it by its status.
 */
export class VouchError extends Error {
  override readonly name = "VouchError"
  /** For your program. */
  readonly code: ErrorCode | ClientErrorCode
  /** For people: names the field and says what to do. */
  readonly detail: string
  /** Of the HTTP response; null if there is none, or if it is an operation that failed later. */
  readonly status: number | null
  /** To quote to support. */
  readonly requestId: string | null
  /** Seconds after which the server would have the request again. */
  readonly retryAfterSeconds: number | null
  /** With `events_rewound`: the cursor to read on from. */
  readonly resumeCursor: string | null

  constructor(
    code: ErrorCode | ClientErrorCode,
    detail: string,
    about: {
      status?: number | null
      requestId?: string | null
      retryAfterSeconds?: number | null
      resumeCursor?: string | null
      cause?: unknown
    } = {},
  ) {
    const { status = null, requestId = null, retryAfterSeconds = null, resumeCursor = null, cause } = about
    super(
      `${code}: ${detail}${requestId === null ? "" : ` (${requestId})`}`,
      cause === undefined ? {} : { cause },
    )
    this.code = code
    this.detail = detail
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.resumeCursor = resumeCursor
  }
}
