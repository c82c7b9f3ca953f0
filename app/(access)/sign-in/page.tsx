"use client"

import { useSearchParams } from "next/navigation.js"
import { useEffect, useRef, useState } from "react"
import { pageOfOurs } from "#app/(access)/next.ts"
import { linkLook, Question } from "#app/(access)/question.tsx"
import { withAuth } from "#app/(access)/with-auth.ts"
import { FormError, TextField } from "#app/components/form.tsx"
import { Link } from "#app/components/link.tsx"
import { type Problem, problemOf } from "#app/components/problem.ts"
import { useIsReady } from "#app/components/store.ts"
import { Button } from "#app/components/ui/button.tsx"

type Step = "password" | "totp" | "backup"

/** Signs in with email and password, then the second factor if there is one. A passkey replaces both. */
export default function Page() {
  const next = useSearchParams().get("next") ?? undefined
  const [step, setStep] = useState<Step>("password")
  const goOn = () => window.location.assign(pageOfOurs(next))
  if (step === "password") return <PasswordStep onSecond={() => setStep("totp")} onDone={goOn} />
  return <SecondStep key={step} kind={step} onOther={setStep} onDone={goOn} />
}

const PasswordStep = ({ onSecond, onDone }: { onSecond: () => void; onDone: () => void }) => (
  <>
    <Question
      title="Sign in"
      submit="Sign in"
      onSubmit={async (values) => {
        const [email, password] = [String(values.get("email")), String(values.get("password"))]
        const data = await withAuth((auth) => auth.signIn.email({ email, password }))
        if ("twoFactorRedirect" in data && data.twoFactorRedirect) onSecond()
        else onDone()
      }}
    >
      <TextField name="email" label="Email" required type="email" autoComplete="username" />
      <TextField
        name="password"
        label="Password"
        required
        aside={
          <Link href="/forgot" prefetch={false} className={linkLook}>
            Forgot password?
          </Link>
        }
        type="password"
        autoComplete="current-password"
      />
    </Question>
    <PasskeyButton onDone={onDone} />
    <p className="mt-8 border-t border-line pt-4 text-sm text-muted">
      Asked to verify a wallet? Open the full link you were given; you do not need to sign in.
    </p>
  </>
)

function PasskeyButton({ onDone }: { onDone: () => void }) {
  const isReady = useIsReady()
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)

  async function signInByKey() {
    setPending(true)
    setProblem(null)
    try {
      await withAuth((auth) => auth.signIn.passkey())
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

type SecondStepProps = { kind: keyof typeof kinds; onOther: (step: Step) => void; onDone: () => void }

function SecondStep({ kind, onOther, onDone }: SecondStepProps) {
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
          const code = String(values.get("code")).replaceAll(/\s/g, "")
          await withAuth<unknown>(({ twoFactor }) =>
            kind === "totp" ? twoFactor.verifyTotp({ code }) : twoFactor.verifyBackupCode({ code }),
          )
          onDone()
        }}
      >
        <TextField
          name="code"
          label={label}
          hint={hint}
          required
          ref={input}
          className="font-mono tracking-widest"
          {...(kind === "totp"
            ? { inputMode: "numeric", autoComplete: "one-time-code" }
            : { autoComplete: "off", autoCapitalize: "none", spellCheck: false })}
        />
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
