// What the scripts of the hosted page share. They import nothing but each other: the server puts them into the page one
// after the other, without their types and in one scope (`assets.ts`).

// The id is the investor's only key: it goes from the page's address into bodies alone. The server reads no more of it.
export const sessionId = decodeURIComponent(location.pathname.split("/")[2] ?? "").slice(0, 100)
export const { lang } = document.documentElement
export const locale = document.documentElement.dataset.locale ?? lang

export const find = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T | null =>
  within.querySelector<T>(selector)
export const all = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T[] => [
  ...within.querySelectorAll<T>(selector),
]

export class Refusal extends Error {
  readonly code: string
  readonly detail: string
  constructor(code: string, detail: string) {
    super(code)
    this.code = code
    this.detail = detail
  }
}

/** Calls a procedure of the server. Throws a Refusal with the code of what it said, if it said anything. */
export async function call<T>(procedure: string, input: object, timeout_ms: number): Promise<T> {
  const response = await fetch(`/api/trpc/verification.${procedure}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId, ...input }),
    signal: timeout(timeout_ms),
  })
  const answer = await response.json()
  if (response.ok && answer.result) return answer.result.data
  const { error = answer.error ?? "", detail = "" } = answer.error?.data ?? {}
  throw new Refusal(error, detail)
}

/** `AbortSignal.timeout` is not in every browser inside of a wallet. */
export function timeout(time_ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), time_ms)
  return controller.signal
}

/** A browser that stores nothing keeps nothing. */
export function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
