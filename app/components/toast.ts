import { problemOf } from "./problem.ts"

type Toast = { text: string; detail: string | null; isProblem: boolean }

let waiting: Toast[] = []
let listeners: (() => void)[] = []
let isWanted = false

function say(toast: Toast): void {
  waiting = [...waiting, toast]
  isWanted = true
  for (const listener of listeners) listener()
}

/** Shows briefly that something is done. */
export const notify = (text: string, detail: string | null = null): void => say({ text, detail, isProblem: false })

/** Shows that something has failed. */
export const notifyFailure = (text: string, detail: string | null = null): void =>
  say({ text, detail, isProblem: true })

/** Shows what went wrong, with the request's id for support. */
export function notifyProblem(error: unknown): void {
  const { detail, requestId } = problemOf(error)
  notifyFailure(detail, requestId)
}

/** Calls `listener` with each new toast. */
export function subscribe(listener: () => void): () => void {
  listeners = [...listeners, listener]
  return () => {
    listeners = listeners.filter((one) => one !== listener)
  }
}

/** Returns the toasts that were not shown yet, once. */
export function takeToasts(): Toast[] {
  const taken = waiting
  waiting = []
  return taken
}

/** Whether there was any toast yet. */
export const anyToasts = (): boolean => isWanted
