// Shared by the scripts of the hosted page. They import only each other: the server strips their types and joins them
// in one scope (`assets.ts`).

// The id is the investor's only key. The script sends it in request bodies, never in an address. Longer ids are cut
// off, as no session has one.
export const sessionId = decodeURIComponent(location.pathname.split("/")[2] ?? "").slice(0, 100)
export const { lang } = document.documentElement

/**
 * The locale for times and durations: the reader's own variant of the page's language, such as Austrian German. Always
 * with Gregorian dates and European digits, as in the texts.
 */
export const locale = new Intl.Locale(
  navigator.languages.find((one) => one.startsWith(`${lang}-`)) ?? document.documentElement.dataset.locale ?? lang,
  { calendar: "gregory", numberingSystem: "latn" },
).toString()

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

/** Calls a procedure of the server. Throws a Refusal with the server's error code, or "" if it sent none. */
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

/** Some browsers in wallets lack `AbortSignal.timeout`. */
export function timeout(time_ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), time_ms)
  return controller.signal
}

/** Returns undefined if the browser blocks storage. */
export function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
