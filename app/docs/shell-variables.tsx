"use client"

import { useSyncExternalStore } from "react"
import { CodeBlock } from "#app/components/code.tsx"

/**
 * The two variables that samples for a shell use, with this server's address. The key stays a placeholder: these pages
 * are public, and Vouch itself keeps only a hash of it.
 */
export function ShellVariables() {
  const origin = useSyncExternalStore(
    never,
    () => location.origin,
    () => "",
  )
  return <CodeBlock label="Your key and this server" code={`KEY=vouch_test_…\nVOUCH=${origin}/v1`} />
}

const never = () => () => {}
