"use client"

import type { QueryKey, UseQueryResult } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useRead } from "#app/(dashboard)/workspace.tsx"
import type { Api } from "#app/call.ts"

const LOOK_EVERY_MS = 1000

/** What `useRead` gives, looked at every second until it is at rest. */
export function useFollowed<T>(
  key: QueryKey,
  ask: (api: Api) => Promise<T>,
  isAtRest: (answer: T) => boolean,
  { keep = false }: { keep?: boolean } = {},
): UseQueryResult<T> {
  const [isMoving, setMoving] = useState(false)
  const read = useRead(key, ask, { keep, ...(isMoving && { every_ms: LOOK_EVERY_MS }) })
  const moves = read.data !== undefined && !isAtRest(read.data)
  if (moves !== isMoving) setMoving(moves)
  return read
}

/** A value once it has been left alone for a moment: what is being typed is not asked about at every key. */
export function useSettled<T>(value: T, ms = 300): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
