"use client"

import "./scalar.css"
import { useEffect, useRef, useState } from "react"
import { Failed, Loading } from "#app/components/states.tsx"

/** Every endpoint, from the document that this server gives of itself, with a way to try each. */
export default function Page() {
  const place = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<"loading" | "open" | { failure: unknown }>("loading")
  const [tries, setTries] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try starts it again
  useEffect(() => {
    const leaving = new AbortController()
    let close = () => {}
    setState("loading")
    import("./scalar.ts")
      .then(({ openReference }) => openReference(place.current!, leaving.signal))
      .then(
        (end) => {
          close = end
          setState("open")
        },
        (failure) => leaving.signal.aborted || setState({ failure }),
      )
    return () => {
      leaving.abort()
      close()
    }
  }, [tries])

  return (
    <>
      <title>API reference · Vouch</title>
      {state === "loading" && <Loading className="m-6" what="Loading the API reference" lines={12} />}
      {typeof state === "object" && (
        <Failed error={state.failure} onRetry={() => setTries((count) => count + 1)} />
      )}
      <div ref={place} />
    </>
  )
}
