import { usePolling } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"

export type Token = RouterOutputs["mintConfig"]["list"]["data"][number]
export type TokenView = RouterOutputs["mintConfig"]["view"]
export type Holder = RouterOutputs["token"]["holders"]["data"][number]
export type Preflight = RouterOutputs["token"]["preflight"]
export type Operation = RouterOutputs["token"]["operation"]
export type OperationDetail = RouterOutputs["token"]["operationDetail"]

const isAtRest = ({ mint_state, reconciling }: TokenView) => mint_state !== "creating" && reconciling === null

/** A token, polled while its mint or its accounts are in progress. */
export const useToken = (id: string) => usePolling("mintConfig.view", { id }, isAtRest)

export const kindNames = { mint: "Mint", transfer: "Transfer" } as const satisfies Record<Operation["kind"], string>

/** Whether an operation has ended. */
export const hasEnded = ({ status }: Pick<Operation, "status">): boolean =>
  status === "confirmed" || status === "failed"

/** An operation with its transaction, polled until it has ended. */
export const useOperation = (id: string) =>
  usePolling("token.operationDetail", { id }, ({ operation }) => hasEnded(operation))
