import { useEffect } from "react"

/** Runs `load` once the browser has nothing else to do: code that a key press will need at once. */
export function useWhenIdle(load: () => Promise<unknown>): void {
  useEffect(() => {
    // Without a connection it loads, or fails, when it is needed.
    const run = () => void load().catch(() => {})
    // Safari has no idle callbacks.
    if (typeof requestIdleCallback !== "function") {
      const timer = setTimeout(run, LATER_MS)
      return () => clearTimeout(timer)
    }
    const waiting = requestIdleCallback(run)
    return () => cancelIdleCallback(waiting)
  }, [load])
}

const LATER_MS = 2000
