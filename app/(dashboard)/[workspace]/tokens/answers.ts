import type { RouterOutputs } from "#app/call.ts"

export type Token = RouterOutputs["mintConfig"]["list"]["data"][number]
export type TokenView = RouterOutputs["mintConfig"]["view"]
export type Holder = RouterOutputs["token"]["holders"]["data"][number]
export type Preflight = RouterOutputs["token"]["preflight"]
export type Operation = RouterOutputs["token"]["operation"]
export type OperationDetail = RouterOutputs["token"]["operationDetail"]
