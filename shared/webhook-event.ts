import { exampleClaims } from "./claims.ts"

/** The only type of event that a provider sends. */
export const EVENT_TYPE = "verification.completed"

/** The example event of the documents and samples. */
export const exampleEvent = {
  type: EVENT_TYPE,
  data: {
    session_id: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
    decision: "approved",
    occurred_at: "2026-01-02T03:04:05Z",
    claims: exampleClaims,
  },
} as const
