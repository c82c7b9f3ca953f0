import { type RouterOutputs, usePolling, useQuery } from "#app/(dashboard)/workspace.tsx"
import { isAddress } from "#shared/address.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"

export type Token = RouterOutputs["mintConfig"]["list"]["data"][number]
export type TokenView = RouterOutputs["mintConfig"]["view"]
export type Holder = RouterOutputs["token"]["holders"]["data"][number]
export type Preflight = RouterOutputs["token"]["formPreflight"]
export type Operation = RouterOutputs["token"]["operation"]
export type OperationDetail = RouterOutputs["token"]["operationDetail"]
export type Hold = RouterOutputs["hold"]["list"]["data"][number]

const isAtRest = ({ mint_state, reconciling }: TokenView) => mint_state !== "creating" && reconciling === null

/** A token, polled while its mint or its accounts are in progress. */
export const useToken = (id: string) => usePolling("mintConfig.view", { id }, isAtRest)

export const kindNames = {
  mint: "Mint",
  transfer: "Transfer",
  burn: "Redemption",
  force_transfer: "Forced transfer",
  hold: "Hold",
  release: "Release of a hold",
} as const satisfies Record<Operation["kind"], string>

/** What an operation is called on screens. A recovery moves a lost wallet's tokens by forced transfers. */
export const operationName = ({ kind, recovery_id }: Pick<Operation, "kind" | "recovery_id">): string =>
  recovery_id === null ? kindNames[kind] : "Recovery"

/** What takes tokens out of a wallet or holds them in it, whatever the rules say about its holder. */
export type Act = "burn" | "force_transfer" | "hold"

/** What a member does to a wallet: stops all its movements, or allows them again. */
export type FreezeAct = "freeze" | "unfreeze"

export type Freeze = Holder["freezes"][number]

/** That a wallet was reported as lost; null if it was not. */
export type Bar = Holder["bar"]

/** How a member ends a hold. */
export type Ending = "release" | "execute"

/** A wallet, the person behind it if one is known, and what freezes it. Without a token, that is for every token. */
export type ServicedWallet = {
  wallet: string
  investor: { investor_id: string; external_id: string | null } | null
  freezes: Freeze[]
  mint_config: string | null
}

/** A wallet that its investor lost. */
export type LostWallet = { wallet: string; investor: NonNullable<ServicedWallet["investor"]> }

export const isFrozenForAll = ({ freezes }: ServicedWallet): boolean =>
  freezes.some(({ is_for_every_token }) => is_for_every_token)

/** A wallet that holds a token. */
export type Serviced = ServicedWallet & { mint_config: string; symbol: string }

/** What a wallet holds on chain now. Undefined until `pubkey` is a whole address. */
export const useBalance = (mint_config: string, pubkey: string) =>
  useQuery("token.balance", { mint_config, pubkey }, { enabled: isAddress(pubkey) })

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
