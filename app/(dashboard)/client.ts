import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, type TRPCClient } from "@trpc/client"
import type { AppRouter } from "#server/router.ts"

export type Api = TRPCClient<AppRouter>

const URL = "/api/trpc"

/** The procedures, asked in a workspace; without one only those of whoever is signed in. */
export function createApi(workspaceId: string | null): Api {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        // An event source sends no headers of ours.
        true: httpSubscriptionLink({ url: workspaceId ? `${URL}?workspace=${workspaceId}` : URL }),
        false: httpLink({ url: URL, headers: workspaceId ? { "x-vouch-workspace": workspaceId } : {} }),
      }),
    ],
  })
}
