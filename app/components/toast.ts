import { problemOf } from "./problem.ts"
import { createStore } from "./store.ts"

type Toast = { text: string; detail: string | null; isProblem: boolean; approvalId?: string }

/** Those that were not shown yet. Null before the first. */
export const toasts = createStore<readonly Toast[] | null>(null)

const say = (toast: Toast): void => toasts.set([...(toasts.read() ?? []), toast])

/** Shows briefly that something is done. */
export const notify = (text: string, detail: string | null = null): void => say({ text, detail, isProblem: false })

/** Shows that something has failed. */
export const notifyFailure = (text: string, detail: string | null = null): void =>
  say({ text, detail, isProblem: true })

/** Shows what went wrong, with the request's id for support; or what the request waits for. */
export function notifyProblem(error: unknown): void {
  const { detail, requestId, approvalId } = problemOf(error)
  if (approvalId !== undefined) say({ text: "Waiting for approval", detail: null, isProblem: false, approvalId })
  else notifyFailure(detail, requestId)
}
