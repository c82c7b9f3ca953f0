import { type FormEvent, useRef, useState } from "react"
import { api } from "#app/api.ts"
import { problemOf } from "#app/components/problem.ts"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { type Answers, keepAnswers, keptAnswers } from "./answers.ts"
import { countries } from "./countries.ts"
import { Checkbox, Consent, NO_CONSENT, Problem, type Said, Select, Send, TestOnly } from "./fields.tsx"

const TIMEOUT_MS = 20_000

const outcomes = [
  { value: "approved", name: "Approved" },
  { value: "rejected", name: "Rejected" },
  { value: "resubmission_requested", name: "Resubmission requested" },
  { value: "in_review", name: "In review" },
  { value: "expired", name: "Expired" },
] as const

type SandboxResult = (typeof outcomes)[number]["value"]
type Problems = { country?: string; consent?: string }

const select =
  "min-h-12 w-full cursor-pointer appearance-none rounded-lg border border-field bg-surface py-2 pr-10 pl-3.5 text-base aria-invalid:border-danger"

/** The page's own form, for a provider that believes what is entered. It stays until it has arrived, and is sent once at a time. */
export function VerificationForm({
  asker,
  testOnly,
  sessionId,
  onAnswer,
}: {
  asker: string
  testOnly: Said
  sessionId: string
  onAnswer: (view: SessionView) => void
}) {
  const [problems, setProblems] = useState<Problems>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const [kept] = useState(() => keptAnswers(sessionId))
  // State is only seen with the next render; a second click may come before it.
  const sending = useRef(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (sending.current) return
    const form = event.currentTarget
    const answers = new FormData(form)
    const found = problemsOf(answers)
    setProblems(found)
    setFailure(null)
    const first = found.country ? "country" : found.consent ? "consent" : null
    if (first) return (form.elements.namedItem(first) as HTMLElement).focus()
    sending.current = true
    setSending(true)
    try {
      const view = await send(sessionId, answers)
      keepAnswers(sessionId, readAnswers(answers))
      onAnswer(view)
    } catch (error) {
      setFailure(errorMessage(error))
    } finally {
      sending.current = false
      setSending(false)
    }
  }

  return (
    <form noValidate onSubmit={submit} className="mt-7" aria-busy={isSending}>
      <h2 className="font-semibold">Your answers</h2>
      <label htmlFor="country" className="mt-3 mb-1.5 block text-sm font-medium">
        Country
      </label>
      <Select>
        <select
          id="country"
          name="country"
          defaultValue={kept?.country ?? ""}
          required
          autoComplete="country"
          aria-invalid={problems.country !== undefined}
          aria-describedby={problems.country && "country-problem"}
          onChange={() => setProblems(({ country: _, ...others }) => others)}
          className={select}
        >
          <option value="" disabled>
            Choose a country
          </option>
          {countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </Select>
      <Problem id="country-problem">{problems.country}</Problem>
      <div className="mt-4 divide-y divide-line rounded-lg border border-line">
        <Checkbox name="over-18" checked={kept?.over18}>
          I am over 18
        </Checkbox>
        <Checkbox name="accredited" checked={kept?.accredited}>
          Accredited investor
        </Checkbox>
      </div>

      <TestOnly testOnly={testOnly}>
        <label htmlFor="outcome" className="mt-3 mb-1.5 block text-sm font-medium">
          Outcome
        </label>
        <Select>
          <select id="outcome" name="outcome" className={select}>
            {outcomes.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </Select>
      </TestOnly>

      <Consent
        asker={asker}
        problem={problems.consent}
        onChange={() => setProblems(({ consent: _, ...others }) => others)}
      />
      <Send isSending={isSending} failure={failure}>
        Submit verification
      </Send>
    </form>
  )
}

function problemsOf(answers: FormData): Problems {
  return {
    ...(!answers.get("country") && { country: "Choose your country." }),
    ...(!answers.has("consent") && { consent: NO_CONSENT }),
  }
}

const readAnswers = (answers: FormData): Answers => ({
  country: String(answers.get("country")),
  over18: answers.has("over-18"),
  accredited: answers.has("accredited"),
})

function send(sessionId: string, answers: FormData): Promise<SessionView> {
  const { country, over18, accredited } = readAnswers(answers)
  const decision = answers.get("outcome") as SandboxResult
  return api.verification.submit.mutate(
    { sessionId, consent: true, country, ageOver18: over18, accredited, decision },
    { signal: AbortSignal.timeout(TIMEOUT_MS) },
  )
}

function errorMessage(error: unknown): string {
  const { code, detail } = problemOf(error)
  return code === "validation_failed"
    ? `Your answers were not accepted. ${detail}`
    : "Your answers were not sent. They are still here: check your connection and submit them again."
}
