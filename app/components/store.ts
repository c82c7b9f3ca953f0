import { useSyncExternalStore } from "react"

/** A value outside React, which lives as long as the browser's page. */
export function createStore<Value>(initial: Value) {
  let value = initial
  const listeners = new Set<() => void>()
  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const read = (): Value => value
  return {
    read,
    set(next: Value): void {
      value = next
      for (const listener of listeners) listener()
    },
    use: (): Value => useSyncExternalStore(subscribe, read, () => initial),
  }
}

const ready = () => true
const notReady = () => false
const never = () => () => {}

/** Whether the page's scripts run. Before that, the browser itself would handle a click. */
export const useIsReady = (): boolean => useSyncExternalStore(never, ready, notReady)
