import { router } from "#server/trpc/trpc.ts"
import { movements } from "./token-movements.ts"
import { tokenReads } from "./token-reads.ts"

export const tokenRouter = router({ ...movements, ...tokenReads })
