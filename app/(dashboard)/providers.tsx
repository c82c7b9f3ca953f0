"use client"

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { NuqsAdapter } from "nuqs/adapters/next/app"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { isPassing, problemOf } from "#app/components/problem.ts"
import { toasts } from "#app/components/toast.ts"
import { runningExports } from "./exports.tsx"
import { goToSignIn } from "./session.ts"

/** Long enough that moving between pages reads nothing twice. The server announces changes. */
const FRESH_MS = 15_000
const RETRIES = 2
/** Refusals after which the member's permissions are read again, to hide what they may no longer see. */
const ACCESS_CHANGED = new Set(["second_factor_required", "insufficient_scope", "workspace_not_found"])

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(createClient)
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>{children}</NuqsAdapter>
      <Toasts />
      <Exports />
    </QueryClientProvider>
  )
}

// The toaster loads with the first toast: most pages never need it.
const Toaster = lazy(() => import("#app/components/toaster.tsx"))

function Toasts() {
  if (toasts.use() === null) return null
  return (
    <Suspense>
      <Toaster />
    </Suspense>
  )
}

const RunningExports = lazy(() => import("./running-exports.tsx"))

function Exports() {
  const exports = runningExports.use()
  if (exports.length === 0) return null
  return (
    <Suspense>
      <RunningExports exports={exports} />
    </Suspense>
  )
}

function createClient(): QueryClient {
  // The first call notices a session that has ended.
  const onError = (error: Error) => {
    const { code } = problemOf(error)
    if (code === "not_signed_in") goToSignIn()
    if (ACCESS_CHANGED.has(code)) void client.invalidateQueries({ queryKey: ["me"] })
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: (failures, error) => failures < RETRIES && isPassing(error) },
      mutations: { retry: false },
    },
  })
  return client
}
