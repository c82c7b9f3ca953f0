import { createTRPCClient, httpSubscriptionLink } from "@trpc/client"
import type { AppRouter } from "#server/trpc/router.ts"

/** What happens in a workspace. An event source sends no headers of ours, so the address names it. */
export const streamOf = (workspaceId: string) =>
  createTRPCClient<AppRouter>({
    links: [httpSubscriptionLink({ url: `/api/trpc?workspace=${workspaceId}` })],
  }).activity.changes
