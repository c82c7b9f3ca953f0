import { dashboardErrors } from "./dashboard-error-codes.ts"
import { apiErrors } from "./error-codes.ts"

/** Every error of Vouch: for the REST adapter, the OpenAPI document and the pages at /docs/errors/{code}. */
export const errors = { ...apiErrors, ...dashboardErrors }

export type ErrorCode = keyof typeof errors

export const errorCodes = Object.keys(errors) as ErrorCode[]

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code)

export type ApiErrorCode = keyof typeof apiErrors
export type DashboardErrorCode = keyof typeof dashboardErrors

/** The codes of the API. */
export const apiErrorCodes = Object.keys(apiErrors) as ApiErrorCode[]

export const statusOf = (code: ErrorCode): number => errors[code].status

/** Whether and when a retry may succeed. */
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
  retryAfterSeconds?: number | undefined
  /** Additional headers of the response. */
  headers?: Readonly<Record<string, string>>
  /** The rest of the request is not read, so its connection cannot be reused. */
  endsConnection?: boolean
}

/** An error response of the API or dashboard. Thrown where the problem is found, rendered once by the transport. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly endsConnection: boolean
  constructor(code: ErrorCode, detail: string, options: ErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = "Failure"
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers ?? {}
    this.endsConnection = options.endsConnection ?? false
  }
}

/** Ends the request with `code`; `detail` names the field and says what to do. */
export function fail(code: ErrorCode, detail: string, options?: ErrorOptions): never {
  throw new Failure(code, detail, options)
}
