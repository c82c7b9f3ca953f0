import { exampleClaims } from "./claims.ts"

/** The one type of event that a provider sends. */
export const EVENT_TYPE = "verification.completed"

/** An event as the documents and the samples show it. */
export const exampleEvent = {
  type: EVENT_TYPE,
  data: {
    session_id: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
    decision: "approved",
    occurred_at: "2026-01-02T03:04:05Z",
    claims: exampleClaims,
  },
} as const
