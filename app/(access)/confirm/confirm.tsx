"use client"

import { useState } from "react"
import { Heading, Question } from "#app/(access)/question.tsx"
import { api } from "#app/api.ts"
import { Link } from "#app/components/link.tsx"
import { problemOf } from "#app/components/problem.ts"
import { buttonLook } from "#app/components/ui/button.tsx"

/** Confirms an email address with the mailed link. Requires being signed in with that address. */
export function Confirm({ token, mayBeSignedIn }: { token: string; mayBeSignedIn: boolean }) {
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const [isSignedIn, setSignedIn] = useState(mayBeSignedIn)
  if (confirmed !== null) {
    return (
      <>
        <Heading title="Your email is confirmed">
          {confirmed} is confirmed. You can now reset your password by email.
        </Heading>
        <Link href="/" className={buttonLook({ variant: "primary", size: "lg", className: "w-full" })}>
          Continue
        </Link>
      </>
    )
  }
  if (!isSignedIn) {
    return (
      <>
        <Heading title="Confirm your email">Sign in with this address first, then confirm it.</Heading>
        <a
          href={`/sign-in?next=${encodeURIComponent(`/confirm?token=${token}`)}`}
          className={buttonLook({ variant: "primary", size: "lg", className: "w-full" })}
        >
          Sign in
        </a>
      </>
    )
  }
  return (
    <Question
      title="Confirm your email"
      text="This shows your team that the address is yours, and lets you reset your password by email."
      submit="Confirm"
      onSubmit={async () => {
        try {
          setConfirmed((await api.me.confirmEmail.mutate({ token })).email)
        } catch (error) {
          if (problemOf(error).code !== "not_signed_in") throw error
          setSignedIn(false)
        }
      }}
    />
  )
}
