import { type FormEvent, type ReactNode, useRef, useState } from "react"
import { api } from "#app/api.ts"
import { Icon } from "#app/components/icons.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { type Answers, keepAnswers, keptAnswers } from "./answers.ts"
import { countries } from "./countries.ts"

const TIMEOUT_MS = 20_000

const outcomes = [
  { value: "approved", name: "Approved" },
  { value: "rejected", name: "Rejected" },
  { value: "resubmission_requested", name: "Resubmission requested" },
  { value: "in_review", name: "In review" },
  { value: "expired", name: "Expired" },
] as const

type Outcome = (typeof outcomes)[number]["value"]
type Problems = { country?: string; consent?: string }

const select =
  "min-h-12 w-full cursor-pointer appearance-none rounded-lg border border-field bg-surface py-2 pr-10 pl-3.5 text-base aria-invalid:border-danger"

/** The sandbox's form. What was entered stays until it has arrived, and it is sent once at a time. */
export function VerificationForm({
  asker,
  sessionId,
  onAnswer,
}: {
  asker: string
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
      setFailure(explain(error))
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

      <section
        aria-labelledby="sandbox"
        className="mt-6 rounded-lg border border-notice-line bg-notice-soft p-4"
      >
        <h2 id="sandbox" className="font-semibold text-notice">
          This is a sandbox
        </h2>
        <p className="mt-1 text-sm text-notice">No documents are checked here. You choose the result.</p>
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
      </section>

      <div className="mt-6">
        <div className={`rounded-lg border ${problems.consent ? "border-danger" : "border-line"}`}>
          <Checkbox
            name="consent"
            required
            invalid={problems.consent !== undefined}
            labelledBy="consent-name"
            describedBy={problems.consent ? "consent-problem consent-text" : "consent-text"}
            onChange={() => setProblems(({ consent: _, ...others }) => others)}
          >
            <span id="consent-name">I agree</span>{" "}
            <span id="consent-text" className="font-normal text-muted">
              that these facts are checked and stored as described above, and that {asker} learns the result.
            </span>
          </Checkbox>
        </div>
        <Problem id="consent-problem">{problems.consent}</Problem>
      </div>

      <div role="alert">
        {failure && (
          <p className="mt-4 flex gap-3 rounded-lg bg-danger-soft px-4 py-3 text-sm text-danger">
            <Icon name="alert" />
            {failure}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" size="xl" pending={isSending} className="mt-6 w-full">
        Submit verification
      </Button>
    </form>
  )
}

function problemsOf(answers: FormData): Problems {
  return {
    ...(!answers.get("country") && { country: "Choose your country." }),
    ...(!answers.has("consent") && { consent: "Agree to continue." }),
  }
}

const readAnswers = (answers: FormData): Answers => ({
  country: String(answers.get("country")),
  over18: answers.has("over-18"),
  accredited: answers.has("accredited"),
})

function send(sessionId: string, answers: FormData): Promise<SessionView> {
  const { country, over18, accredited } = readAnswers(answers)
  const decision = answers.get("outcome") as Outcome
  return api.verification.submit.mutate(
    { sessionId, consent: true, country, ageOver18: over18, accredited, decision },
    { signal: AbortSignal.timeout(TIMEOUT_MS) },
  )
}

function explain(error: unknown): string {
  const { code, detail } = problemOf(error)
  return code === "validation_failed"
    ? `Your answers were not accepted. ${detail}`
    : "Your answers were not sent. They are still here: check your connection and submit them again."
}

function Select({ children }: { children: ReactNode }) {
  return (
    <div className="relative">
      {children}
      <Icon
        name="chevron"
        className="pointer-events-none absolute top-1/2 right-3 size-5 -translate-y-1/2 text-muted"
      />
    </div>
  )
}

function Checkbox({
  name,
  checked,
  required,
  invalid,
  labelledBy,
  describedBy,
  onChange,
  children,
}: {
  name: string
  /** Whether it is ticked at first. */
  checked?: boolean | undefined
  required?: boolean
  invalid?: boolean
  labelledBy?: string
  describedBy?: string
  onChange?: () => void
  children: ReactNode
}) {
  return (
    <label className="flex cursor-pointer gap-3 px-3.5 py-3 font-medium">
      <span className="relative mt-0.5 size-5 shrink-0">
        <input
          type="checkbox"
          name={name}
          defaultChecked={checked}
          required={required}
          aria-invalid={invalid}
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          onChange={onChange}
          className="peer block size-5 cursor-pointer appearance-none rounded border border-field bg-surface checked:border-accent checked:bg-accent aria-invalid:border-danger"
        />
        <Icon
          name="check"
          className="pointer-events-none absolute inset-0.5 hidden size-4 stroke-3 text-accent-ink peer-checked:block"
        />
      </span>
      <span>{children}</span>
    </label>
  )
}

function Problem({ id, children }: { id: string; children: string | undefined }) {
  if (!children) return null
  return (
    <p id={id} className="mt-1.5 text-sm text-danger">
      {children}
    </p>
  )
}
