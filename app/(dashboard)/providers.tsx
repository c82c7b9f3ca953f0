"use client"

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { NuqsAdapter } from "nuqs/adapters/next/app"
import { type ReactNode, useState } from "react"
import { isPassing, problemOf } from "#app/components/problem.ts"
import { Toasts } from "#app/components/toasts.tsx"
import { goToSignIn } from "./session.ts"

/** Long enough that moving between pages asks nothing twice; what changes meanwhile is announced. */
const FRESH_MS = 15_000
const RETRIES = 2

/** What the dashboard's pages share in the browser. */
export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(createClient)
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>{children}</NuqsAdapter>
      <Toasts />
    </QueryClientProvider>
  )
}

function createClient(): QueryClient {
  // A session that ended meanwhile is noticed by whichever call comes first.
  const onError = (error: Error) => {
    if (problemOf(error).code === "not_signed_in") goToSignIn()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && isPassing(error),
      },
      mutations: { retry: false },
    },
  })
}
