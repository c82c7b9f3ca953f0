import { CallError } from "#app/api.ts"

/** An error for a person to read, with the id by which support finds it. */
export type Problem = {
  code: string
  detail: string
  requestId: string | null
  /** The approval that the request waits for. Then nothing is wrong. */
  approvalId?: string
}

/** An error in our own words, thrown by a form's action. With an approval, the request only waits for it. */
export class Refused extends Error {
  readonly approvalId: string | undefined
  constructor(message: string, approvalId?: string) {
    super(message)
    this.approvalId = approvalId
  }
}

export const NO_ANSWER = "No answer arrived from the server. Check your connection and try again."

const unreachable: Problem = {
  code: "unreachable",
  detail: NO_ANSWER,
  requestId: null,
}

type ErrorBody = {
  error: string
  detail: string
  request_id?: string
  requestId?: string | null
  approvalId?: string
}

/** The server's words for a failed call, or ours if there was no answer. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refused) {
    const { message: detail, approvalId } = error
    return { code: "refused", detail, requestId: null, ...(approvalId !== undefined && { approvalId }) }
  }
  // The error of a stream comes from tRPC's client, with the same data.
  const said = error instanceof CallError ? error.refusal : (error as { data?: unknown } | null)?.data
  const refusal = said as Partial<ErrorBody> | null | undefined
  if (typeof refusal?.error !== "string" || typeof refusal.detail !== "string") return unreachable
  const { error: code, detail, approvalId } = refusal as ErrorBody
  if (approvalId !== undefined) return { code, detail, requestId: null, approvalId }
  return { code, detail, requestId: refusal.requestId ?? refusal.request_id ?? null }
}

/** Whether a retry may succeed: no response, or a server error. */
export const isPassing = (error: unknown): boolean =>
  error instanceof CallError && (error.status === null || error.status >= 500)

/** Whether no answer came from Vouch, so that the call may have done its work. */
export const isUnanswered = (error: unknown): boolean => problemOf(error) === unreachable

/** The fields that a detail names, each with what is wrong: `name: is empty. symbol: is too long.` */
export const fieldsIn = (detail: string): [name: string, what: string][] =>
  detail.split(/(?<=\.) (?=[\w.]+: )/).flatMap((part): [string, string][] => {
    const [, name, what] = /^([\w.]+): (.*)$/s.exec(part) ?? []
    return name && what ? [[name, what.charAt(0).toUpperCase() + what.slice(1)]] : []
  })
