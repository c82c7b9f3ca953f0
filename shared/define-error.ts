/** The meaning of each error status. */
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
  /** Only the dashboard and the investors' pages return it. It is not part of the API. */
  isDashboardOnly: boolean
  /** Always has the header Retry-After. */
  isTimed: boolean
  /**
   * Whether a response with it is stored and replayed for a repeated Idempotency-Key. Not if it comes before the key is
   * read, is about the key, or is a rate limit: then nothing has begun and the same request may be sent again.
   */
  isReplayed: boolean
  /** Has the header WWW-Authenticate, which says how to send a key. */
  asksForKey: boolean
  /** A temporary problem of the server: the same request may succeed in a moment. */
  isTemporary: boolean
}

const usual: Traits = {
  isDashboardOnly: false,
  isTimed: false,
  isReplayed: true,
  asksForKey: false,
  isTemporary: false,
}

/** Defines an error: its status, title, what to do about it, and where it differs from most errors. */
export const defineError = (status: ErrorStatus, title: string, fix: string, traits: Partial<Traits> = {}) => ({
  status,
  title,
  fix,
  ...usual,
  ...traits,
})
