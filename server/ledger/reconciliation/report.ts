import type { Chain } from "#server/solana/chain.ts"
import type { Mode } from "#shared/mode.ts"

export type Difference = { kind: string; detail: string }

export type Report = {
  checked: {
    workspaces: number
    credentials: number
    operations: number
    transactions: number
    mint_configs: number
    holdings: number
  }
  /** What the chain and the database disagree on. Should be empty. */
  differences: Difference[]
  /** Notes that are no fault, such as unfinished work. */
  information: string[]
}

/** One workspace in a reconciliation. */
export type Audited = { workspaceId: string; mode: Mode; chain: Chain; report: Report }

export const emptyReport = (): Report => ({
  checked: {
    workspaces: 0,
    credentials: 0,
    operations: 0,
    transactions: 0,
    mint_configs: 0,
    holdings: 0,
  },
  differences: [],
  information: [],
})
