import recorded from "./error-examples.json" with { type: "json" }
import type { ApiErrorCode } from "./errors.ts"

/** A request and the error that the server answered it with. */
export type ErrorExample = {
  request: { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string }
  status: number
  body: { error: string; detail: string; request_id: string }
}

/**
 * An example of each error of the API. `server/rest/error-examples.test.ts` brings each about and compares; with
 * `VOUCH_RECORD=1` it writes the file.
 */
export const errorExamples: Readonly<Record<ApiErrorCode, ErrorExample>> = recorded
