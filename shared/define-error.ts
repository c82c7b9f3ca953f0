/** What the statuses mean that errors have. */
export const statusMeanings = {
  400: "Malformed request",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  410: "Gone",
  413: "Too large",
  415: "Unsupported media type",
  422: "Validation failed",
  429: "Too many requests or over the quota",
  500: "Server error",
  503: "Temporarily unavailable",
} as const

export type ErrorStatus = keyof typeof statusMeanings

type Traits = {
  /** Only the dashboard and the investors' pages answer with it: it is no part of the API. */
  isDashboardOnly: boolean
  /** Always says in Retry-After when to come back. */
  isTimed: boolean
  /**
   * Whether an answer with it is stored for a repeated Idempotency-Key. Not if it comes before the key, is about it, or refuses a
   * rate: that has begun nothing, and the same request may be sent again.
   */
  isReplayed: boolean
  /** Says in WWW-Authenticate how a key is sent. */
  asksForKey: boolean
  /** Trouble of ours that passes: the same request may succeed in a moment. */
  isTemporary: boolean
}

const usual: Traits = {
  isDashboardOnly: false,
  isTimed: false,
  isReplayed: true,
  asksForKey: false,
  isTemporary: false,
}

/** An error: its status, its title, what a caller does about it, and where it differs from most. */
export const defineError = (
  status: ErrorStatus,
  title: string,
  fix: string,
  traits: Partial<Traits> = {},
) => ({
  status,
  title,
  fix,
  ...usual,
  ...traits,
})
