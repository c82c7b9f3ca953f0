import { createTRPCClient, httpLink } from "@trpc/client"
import type { AppRouter } from "#server/router.ts"

/** The pages' only way to the domain. */
export const api = createTRPCClient<AppRouter>({ links: [httpLink({ url: "/api/trpc" })] })
