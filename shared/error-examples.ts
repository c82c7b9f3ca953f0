import recorded from "./error-examples.json" with { type: "json" }
import type { ErrorCode } from "./errors.ts"

/** A request and the server's error response. */
export type ErrorExample = {
  request: { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string }
  status: number
  /** The headers of the response that matter to a reader. The request id is that of the body. */
  headers: Readonly<Record<string, string>>
  /** The whole body for the API, and the error within it for the dashboard, whose protocol is private. */
  body: { error: string; detail: string } & ({ request_id: string } | { requestId: string | null; httpStatus: number })
}

/** An example of each error, caused by `server/rest/error-examples.test.ts`. VOUCH_RECORD=1 writes the file. */
export const errorExamples: Readonly<Record<ErrorCode, ErrorExample>> = recorded
