import { useEffect, useRef, useState } from "react"
import { primaryButton, quietButton } from "#app/components/button.ts"

const STAY_SECONDS = 8

/** The way back to whoever asked: by hand, or by itself after a few seconds, unless the holder stays. */
export function ReturnToAsker({ url, automatic }: { url: string; automatic: boolean }) {
  const { host } = new URL(url)
  const [secondsLeft, setSecondsLeft] = useState(automatic ? STAY_SECONDS : null)
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (secondsLeft === null) return
    if (secondsLeft === 0) {
      // Replaced, so that "back" leads to where the holder came from, and not here and away again.
      window.location.replace(url)
      return
    }
    const timer = setTimeout(() => setSecondsLeft(secondsLeft - 1), 1000)
    return () => clearTimeout(timer)
  }, [secondsLeft, url])

  function stay() {
    setSecondsLeft(null)
    // The button goes, and the focus must not go with it.
    link.current?.focus()
  }

  return (
    <div className="mt-6">
      <a ref={link} href={url} rel="noreferrer" className={`${primaryButton} w-full`}>
        {/* All of the host: its end is what tells where it leads. */}
        <span className="py-2 text-center">Return to {host}</span>
      </a>
      {/* The seconds are for the eye: read out one by one they would drown everything else. */}
      <p role="status" className="sr-only">
        {secondsLeft === null ? "" : `You return to ${host} in ${STAY_SECONDS} seconds, unless you stay.`}
      </p>
      {secondsLeft !== null && (
        <div className="mt-3 flex items-center justify-between gap-4 text-sm text-muted">
          <span aria-hidden="true">Returning in {secondsLeft} s</span>
          <button type="button" onClick={stay} className={`${quietButton} min-h-11 px-4`}>
            Stay on this page
          </button>
        </div>
      )}
    </div>
  )
}
