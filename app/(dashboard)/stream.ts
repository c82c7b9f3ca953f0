import { createTRPCClient, httpSubscriptionLink } from "@trpc/client"
import type { AppRouter } from "#server/trpc/router.ts"

/** The workspace's event stream. An EventSource cannot send headers, so the URL names the workspace. */
export const streamOf = (workspaceId: string) =>
  createTRPCClient<AppRouter>({
    links: [httpSubscriptionLink({ url: `/api/trpc?workspace=${workspaceId}` })],
  }).activity.changes
