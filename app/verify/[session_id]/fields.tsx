import type { ReactNode } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"

/** What is to be said of a provider that verifies nobody; null of all others. */
export type Said = Extract<SessionView, { state: "open" }>["provider"]["testOnly"]

export const NO_CONSENT = "Agree to continue."

export function TestOnly({ testOnly, children }: { testOnly: Said; children?: ReactNode }) {
  if (testOnly === null) return children
  return (
    <section
      aria-labelledby="test-only"
      className="mt-6 rounded-lg border border-notice-line bg-notice-soft p-4"
    >
      <h2 id="test-only" className="font-semibold text-notice">
        {testOnly.heading}
      </h2>
      <p className="mt-1 text-sm text-notice">{testOnly.text}</p>
      {children}
    </section>
  )
}

export function Consent({
  asker,
  problem,
  onChange,
}: {
  asker: string
  problem: string | undefined
  onChange: () => void
}) {
  return (
    <div className="mt-6">
      <div className={`rounded-lg border ${problem ? "border-danger" : "border-line"}`}>
        <Checkbox
          name="consent"
          required
          invalid={problem !== undefined}
          labelledBy="consent-name"
          describedBy={problem ? "consent-problem consent-text" : "consent-text"}
          onChange={onChange}
        >
          <span id="consent-name">I agree</span>{" "}
          <span id="consent-text" className="font-normal text-muted">
            that these facts are checked and stored as described above, and that {asker} learns the result.
          </span>
        </Checkbox>
      </div>
      <Problem id="consent-problem">{problem}</Problem>
    </div>
  )
}

/** The button of a form, and why it could not be sent. */
export function Send({
  isSending,
  failure,
  children,
}: {
  isSending: boolean
  failure: string | null
  children: ReactNode
}) {
  return (
    <>
      <div role="alert">
        {failure && (
          <p className="mt-4 flex gap-3 rounded-lg bg-danger-soft px-4 py-3 text-sm text-danger">
            <Icon name="alert" />
            {failure}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" size="xl" pending={isSending} className="mt-6 w-full">
        {children}
      </Button>
    </>
  )
}

export function Select({ children }: { children: ReactNode }) {
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

export function Checkbox({
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

export function Problem({ id, children }: { id: string; children: string | undefined }) {
  if (!children) return null
  return (
    <p id={id} className="mt-1.5 text-sm text-danger">
      {children}
    </p>
  )
}
