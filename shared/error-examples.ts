import recorded from "./error-examples.json" with { type: "json" }
import type { ErrorCode } from "./errors.ts"

/** A request and the error that the server answered it with. */
export type ErrorExample = {
  request: { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string }
  status: number
  /** The whole body of the API; of the dashboard, whose requests are its own, the error in it. */
  body: { error: string; detail: string } & (
    | { request_id: string }
    | { requestId: string | null; httpStatus: number }
  )
}

/**
 * An example of each error. `server/rest/error-examples.test.ts` brings each about and compares; with
 * `VOUCH_RECORD=1` it writes the file.
 */
export const errorExamples: Readonly<Record<ErrorCode, ErrorExample>> = recorded
