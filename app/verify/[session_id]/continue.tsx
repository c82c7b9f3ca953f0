import { type FormEvent, useEffect, useRef, useState } from "react"
import { api } from "#app/api.ts"
import { problemOf } from "#app/components/problem.ts"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { Consent, NO_CONSENT, Send } from "./fields.tsx"

/** Longer than the server waits for the provider. */
const TIMEOUT_MS = 35_000

type Away = {
  asker: string
  /** Who verifies, on a page of their own. */
  label: string
  sessionId: string
  /** Whether the consent was given before. */
  isAgreed: boolean
  onAnswer: (view: SessionView) => void
}

/** The way to the provider's page, at top level: once agreed, and once at a time. */
export function ContinueForm({ asker, label, sessionId, isAgreed, onAnswer }: Away) {
  const [problem, setProblem] = useState<string>()
  const [failure, setFailure] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  // State is only seen with the next render; a second click may come before it.
  const sending = useRef(false)
  useEffect(() => {
    // "Back" from the provider may show this page as it was left.
    const stop = () => {
      sending.current = false
      setSending(false)
    }
    window.addEventListener("pageshow", stop)
    return () => window.removeEventListener("pageshow", stop)
  }, [])

  function setBusy(isBusy: boolean) {
    sending.current = isBusy
    setSending(isBusy)
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (sending.current) return
    const form = event.currentTarget
    if (!isAgreed && !new FormData(form).has("consent")) {
      setProblem(NO_CONSENT)
      return (form.elements.namedItem("consent") as HTMLElement).focus()
    }
    setFailure(null)
    setBusy(true)
    try {
      const { url, view } = await api.verification.continue.mutate(
        { sessionId, consent: true },
        { signal: AbortSignal.timeout(TIMEOUT_MS) },
      )
      // Busy until the other page is there.
      if (url !== null) return window.location.assign(url)
      onAnswer(view)
    } catch (error) {
      setFailure(explain(error, label))
    }
    setBusy(false)
  }

  return (
    <form noValidate onSubmit={submit} aria-busy={isSending}>
      {!isAgreed && <Consent asker={asker} problem={problem} onChange={() => setProblem(undefined)} />}
      <Send isSending={isSending} failure={failure}>
        Continue to {label}
      </Send>
    </form>
  )
}

function explain(error: unknown, label: string): string {
  switch (problemOf(error).code) {
    case "provider_unavailable":
      return `${label} does not answer right now. Nothing is lost: try again in a moment.`
    case "provider_not_configured":
      return `${label} is not connected at the moment. Try again later, or ask whoever sent you the link.`
    default:
      return "You could not be sent on. Check your connection, and try again."
  }
}
