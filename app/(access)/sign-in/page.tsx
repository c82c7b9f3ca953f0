"use client"

import { useSearchParams } from "next/navigation.js"
import { useEffect, useRef, useState, useSyncExternalStore } from "react"
import { linkLook } from "#app/(access)/heading.tsx"
import { pageOfOurs } from "#app/(access)/next.ts"
import { Question } from "#app/(access)/question.tsx"
import { Field, FormError } from "#app/components/form.tsx"
import { Link } from "#app/components/link.tsx"
import { type Problem, problemOf } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Input } from "#app/components/ui/input.tsx"

type Step = "password" | "totp" | "backup"

/** Signs in with email and password, then the second factor if there is one. A passkey replaces both. */
export default function Page() {
  const next = useSearchParams().get("next") ?? undefined
  const [step, setStep] = useState<Step>("password")
  const goOn = () => window.location.assign(pageOfOurs(next))
  if (step === "password") return <PasswordStep onSecond={() => setStep("totp")} onDone={goOn} />
  return <SecondStep key={step} kind={step} onOther={setStep} onDone={goOn} />
}

function PasswordStep({ onSecond, onDone }: { onSecond: () => void; onDone: () => void }) {
  return (
    <>
      <Question
        title="Sign in"
        submit="Sign in"
        onSubmit={async (values) => {
          const { auth, throwIf } = await import("#app/(access)/auth.ts")
          const { data, error } = await auth.signIn.email({
            email: String(values.get("email")),
            password: String(values.get("password")),
          })
          throwIf(error)
          if (data && "twoFactorRedirect" in data && data.twoFactorRedirect) onSecond()
          else onDone()
        }}
      >
        <Field name="email" label="Email" required>
          <Input type="email" autoComplete="username" />
        </Field>
        <Field
          name="password"
          label="Password"
          required
          aside={
            <Link href="/forgot" prefetch={false} className={linkLook}>
              Forgot password?
            </Link>
          }
        >
          <Input type="password" autoComplete="current-password" />
        </Field>
      </Question>
      <PasskeyButton onDone={onDone} />
      <p className="mt-8 border-t border-line pt-4 text-sm text-muted">
        Asked to verify a wallet? Open the full link you were given; you do not need to sign in.
      </p>
    </>
  )
}

const unchanging = () => () => {}

function PasskeyButton({ onDone }: { onDone: () => void }) {
  // Before the page's scripts run, a click would do nothing.
  const isReady = useSyncExternalStore(
    unchanging,
    () => true,
    () => false,
  )
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)

  async function signInByKey() {
    setPending(true)
    setProblem(null)
    try {
      const { auth, throwIf } = await import("#app/(access)/auth.ts")
      throwIf((await auth.signIn.passkey()).error)
      onDone()
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <div className="mt-3 space-y-3">
      <Button size="lg" className="w-full" pending={isPending} disabled={!isReady} onClick={signInByKey}>
        Use a passkey
      </Button>
      {problem && <FormError problem={problem} />}
    </div>
  )
}

const kinds = {
  totp: {
    label: "Code",
    hint: "The six-digit code for Vouch in your authenticator app.",
    other: "Use a backup code",
  },
  backup: {
    label: "Backup code",
    hint: "One of the codes you saved when you turned this on. Each works once.",
    other: "Use your authenticator app",
  },
} as const

function SecondStep({
  kind,
  onOther,
  onDone,
}: {
  kind: keyof typeof kinds
  onOther: (step: Step) => void
  onDone: () => void
}) {
  const { label, hint, other } = kinds[kind]
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <>
      <Question
        title="Second factor"
        text="Enter a code to finish signing in."
        submit="Confirm"
        onSubmit={async (values) => {
          const { auth, throwIf } = await import("#app/(access)/auth.ts")
          const code = String(values.get("code")).replaceAll(/\s/g, "")
          const { error } =
            kind === "totp"
              ? await auth.twoFactor.verifyTotp({ code })
              : await auth.twoFactor.verifyBackupCode({ code })
          throwIf(error)
          onDone()
        }}
      >
        <Field name="code" label={label} hint={hint} required>
          <Input
            ref={input}
            className="font-mono tracking-widest"
            {...(kind === "totp"
              ? { inputMode: "numeric", autoComplete: "one-time-code" }
              : { autoComplete: "off", autoCapitalize: "none", spellCheck: false })}
          />
        </Field>
      </Question>
      <p className="mt-5 flex justify-between text-sm">
        <Button variant="link" onClick={() => onOther(kind === "totp" ? "backup" : "totp")}>
          {other}
        </Button>
        <Button variant="link" onClick={() => onOther("password")}>
          Start again
        </Button>
      </p>
    </>
  )
}
