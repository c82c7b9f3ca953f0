import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { problemOf } from "#app/components/problem.ts"
import { useWorkspace } from "./workspace.tsx"

/** How long updates may be missing before the page says so. A server restart is shorter. */
const PATIENCE_MS = 5000
/** Pause before a broken stream is opened again, by the number of failed attempts. */
const RECONNECT_MS = 3000
const RECONNECT_LATER_MS = 30_000
const QUICK_ATTEMPTS = 5
/** How often the page polls while live updates are missing. */
const POLL_SECONDS = 20

const NO_LONGER_HERE = new Set(["not_signed_in", "missing_api_key", "workspace_not_found", "second_factor_required"])

/**
 * Keeps the page up to date: the server announces changes in the workspace. A hidden page does not listen, because a
 * browser opens at most six connections to a server and each stream takes one.
 */
export function Live() {
  const { id } = useWorkspace()
  const client = useQueryClient()
  const [isLost, setLost] = useState(false)

  useEffect(() => {
    const readAgain = reader(client, id)
    let isOver = false
    // The server does not repeat changes that it announced while the page was not listening.
    let isBehind = false
    let stream: { unsubscribe: () => void } | undefined
    let attempts = 0
    let patience: ReturnType<typeof setTimeout> | undefined
    let next: ReturnType<typeof setTimeout> | undefined
    let polling: ReturnType<typeof setInterval> | undefined

    function rest() {
      clearTimeout(patience)
      clearTimeout(next)
      clearInterval(polling)
      patience = undefined
    }
    function lose() {
      setLost(true)
      polling = setInterval(readAgain, POLL_SECONDS * 1000)
    }
    function connected() {
      rest()
      attempts = 0
      setLost(false)
      if (isBehind) readAgain()
      isBehind = false
    }
    function disconnected(error: unknown) {
      if (isOver) return
      isBehind = true
      patience ??= setTimeout(lose, PATIENCE_MS)
      if (error && NO_LONGER_HERE.has(problemOf(error).code)) {
        end()
        // The next call is refused as well, and leads to the sign-in.
        readAgain()
      }
    }
    function reconnect(error: unknown) {
      disconnected(error)
      if (isOver || document.hidden) return
      clearTimeout(next)
      const pause_ms = ++attempts < QUICK_ATTEMPTS ? RECONNECT_MS : RECONNECT_LATER_MS
      next = setTimeout(() => void connect(), pause_ms)
    }
    async function connect() {
      // Loaded after the page, whose data is current without it.
      const loaded = await import("./stream.ts").catch(reconnect)
      if (!loaded || isOver || document.hidden) return
      stream?.unsubscribe()
      stream = loaded.streamOf(id).subscribe(
        {},
        {
          onStarted: connected,
          onData: ({ access }) => {
            // Removes what the member may no longer see.
            if (access) void client.invalidateQueries({ queryKey: ["me"] })
            readAgain()
          },
          onConnectionStateChange: ({ state, error }) => {
            if (state === "connecting" && error) disconnected(error)
          },
          onError: reconnect,
        },
      )
    }
    function end() {
      isOver = true
      rest()
      stream?.unsubscribe()
      document.removeEventListener("visibilitychange", followSight)
    }
    function followSight() {
      if (!document.hidden) return void connect()
      isBehind = true
      rest()
      stream?.unsubscribe()
    }
    document.addEventListener("visibilitychange", followSight)
    if (!document.hidden) void connect()
    return end
  }, [client, id])

  return (
    <p role="status" className={isLost ? "mb-4 text-[13px] text-muted" : "sr-only"}>
      {isLost
        ? `Live updates are interrupted. This page refreshes every ${POLL_SECONDS} seconds until they are back.`
        : ""}
    </p>
  )
}

/** Reads the workspace's data again. A read in progress may have missed the change, so it is repeated. */
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
