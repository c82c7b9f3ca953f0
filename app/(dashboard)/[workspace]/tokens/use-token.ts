import { type RouterOutputs, usePolling } from "#app/(dashboard)/workspace.tsx"
import type { TransferMode } from "#shared/transfer-modes.ts"

export type Token = RouterOutputs["mintConfig"]["list"]["data"][number]
export type TokenView = RouterOutputs["mintConfig"]["view"]
export type Holder = RouterOutputs["token"]["holders"]["data"][number]
export type Preflight = RouterOutputs["token"]["preflight"]
export type Operation = RouterOutputs["token"]["operation"]
export type OperationDetail = RouterOutputs["token"]["operationDetail"]

const isAtRest = ({ mint_state, reconciling }: TokenView) => mint_state !== "creating" && reconciling === null

/** A token, polled while its mint or its accounts are in progress. */
export const useToken = (id: string) => usePolling("mintConfig.view", { id }, isAtRest)

export const kindNames = {
  mint: "Mint",
  transfer: "Transfer",
  burn: "Burn",
  force_transfer: "Forced transfer",
} as const satisfies Record<Operation["kind"], string>

export const hasEnded = ({ status }: Pick<Operation, "status">): boolean =>
  status === "confirmed" || status === "failed"

/** An operation with its transaction, polled until it has ended. */
export const useOperation = (id: string) =>
  usePolling("token.operationDetail", { id }, ({ operation }) => hasEnded(operation))

/** The transfer modes: who moves tokens, and what the chain enforces. */
export const modeWords = {
  agent: {
    name: "Only through Vouch",
    summary: "You mint and transfer tokens. Holders cannot move them.",
    chain:
      "Accounts stay frozen. Each mint or transfer unfreezes them, moves the tokens and freezes them again in one transaction, so every rule is enforced on chain.",
  },
  holder: {
    name: "By holders",
    summary: "Verified holders can move tokens themselves.",
    chain:
      "Accounts of verified wallets are open. Vouch freezes the account of a wallet that no longer meets the verification, country or accreditation rules. Lock-up and limits on holders and balances are not available.",
  },
} as const satisfies Record<TransferMode, object>

/** When rules are checked, and what the chain adds. */
export const checkedWhen = {
  wallets: {
    agent:
      "Checked for sender and recipient, at each request and again before signing. On chain, tokens move only in transactions signed by Vouch.",
    holder:
      "Checked for sender and recipient, at each request and again before signing. On chain, accounts of wallets that do not meet these rules are frozen within seconds.",
  },
  limits: {
    agent:
      "Checked and reserved at each request, so simultaneous requests cannot exceed a limit together. On chain, tokens move only in transactions signed by Vouch.",
    holder:
      "Checked and reserved at each request. On chain, only Vouch can mint; the other limits are not available when holders move tokens.",
  },
} as const

/** Why a rule cannot be set in holder mode. The server gives the same reason. */
export const NOT_IN_HOLDER_MODE =
  "Not available when holders move tokens, because the chain cannot enforce it. Choose “Only through Vouch” to set it."
