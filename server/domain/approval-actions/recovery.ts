import { redoRecovery, type StoredRecovery } from "#domain/recoveries"
import { act } from "./act.ts"

export const recovery = act((verb, { subject, request }) =>
  redoRecovery(verb, { subject, request: request as StoredRecovery }),
)
