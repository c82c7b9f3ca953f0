"use client"

import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { problemOf } from "../components/problem.ts"
import { useWorkspace } from "./workspace.tsx"

/** Before it is said that news do not come: a server that restarts is back by then. */
const PATIENCE_MS = 5000
/** Pause before a stream that broke for good is opened anew. */
const RECONNECT_MS = 3000

const NO_LONGER_HERE = new Set(["not_signed_in", "missing_api_key", "workspace_not_found"])

/** Keeps what this page shows up to date: the server says when something in the workspace has changed. */
export function Live() {
  const { id } = useWorkspace()
  const client = useQueryClient()
  const [isLost, setLost] = useState(false)

  useEffect(() => {
    const readAgain = reader(client, id)
    let isOver = false
    // What was announced while nobody listened is not announced again.
    let isBehind = false
    let stream: { unsubscribe: () => void } | undefined
    let patience: ReturnType<typeof setTimeout> | undefined
    let next: ReturnType<typeof setTimeout> | undefined

    function connected() {
      clearTimeout(patience)
      patience = undefined
      setLost(false)
      if (isBehind) readAgain()
      isBehind = false
    }
    function disconnected(error: unknown) {
      if (isOver) return
      isBehind = true
      patience ??= setTimeout(() => setLost(true), PATIENCE_MS)
      if (error && NO_LONGER_HERE.has(problemOf(error).code)) {
        end()
        // Whichever call comes next is refused as well, and leads to the sign-in.
        readAgain()
      }
    }
    function reconnect(error: unknown) {
      disconnected(error)
      if (isOver) return
      clearTimeout(next)
      next = setTimeout(() => void connect(), RECONNECT_MS)
    }
    async function connect() {
      stream?.unsubscribe()
      // After the page: it shows the present without it.
      const loaded = await import("./stream.ts").catch(reconnect)
      if (!loaded || isOver) return
      stream = loaded.streamOf(id).subscribe(
        {},
        {
          onStarted: connected,
          onData: readAgain,
          onConnectionStateChange: ({ state, error }) => {
            if (state === "connecting" && error) disconnected(error)
          },
          onError: reconnect,
        },
      )
    }
    function end() {
      isOver = true
      clearTimeout(patience)
      clearTimeout(next)
      stream?.unsubscribe()
    }
    void connect()
    return end
  }, [client, id])

  return (
    <p role="status" className={isLost ? "mb-4 text-[13px] text-muted" : "sr-only"}>
      {isLost
        ? "Live updates are interrupted. This page shows what was known before; it is trying again."
        : ""}
    </p>
  )
}

/**
 * Has everything of the workspace read again: now what is on the screen, and the rest when it is next looked at. What is
 * being read at that moment may have missed the change: it is read once more, and not broken off.
 */
function reader(client: QueryClient, workspaceId: string): () => void {
  const filter = { queryKey: [workspaceId] }
  let isWanted = false
  let isReading = false
  async function read() {
    isReading = true
    while (isWanted) {
      isWanted = client.isFetching(filter) > 0
      const refetchType = document.hidden ? "none" : "active"
      await client.invalidateQueries({ ...filter, refetchType }, { cancelRefetch: false })
    }
    isReading = false
  }
  return () => {
    isWanted = true
    if (!isReading) void read()
  }
}
