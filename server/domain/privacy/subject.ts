import type { Address } from "#shared/address.ts"

/** The data to erase. */
export type Subject = {
  workspaceId: string
  wallets: readonly Address[]
  attestations: readonly { id: string; session_id: string }[]
  /** Investors without other data. */
  investorIds: readonly string[]
  now: Date
}
