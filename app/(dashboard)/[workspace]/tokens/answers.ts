import type { inferRouterOutputs } from "@trpc/server"
import type { AppRouter } from "#server/router.ts"

type Answers = inferRouterOutputs<AppRouter>

export type Token = Answers["mintConfig"]["list"]["data"][number]
export type TokenView = Answers["mintConfig"]["view"]
export type Holder = Answers["token"]["holders"]["data"][number]
export type Verdict = Answers["token"]["verdict"]
export type Operation = Answers["token"]["operation"]
export type OperationDetail = Answers["token"]["operationDetail"]
