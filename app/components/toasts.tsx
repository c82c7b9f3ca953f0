"use client"

import { lazy, Suspense, useSyncExternalStore } from "react"
import { anyToasts, subscribe } from "./toast.ts"

// What shows them is loaded with the first one: most pages never need it.
const Toaster = lazy(() => import("./toaster.tsx"))

/** Where toasts appear. */
export function Toasts() {
  const isNeeded = useSyncExternalStore(subscribe, anyToasts, () => false)
  if (!isNeeded) return null
  return (
    <Suspense>
      <Toaster />
    </Suspense>
  )
}
