"use client"

import { useSearchParams } from "next/navigation.js"
import { useState } from "react"
import { NewPassword } from "#app/(access)/password.tsx"
import { Heading, Question } from "#app/(access)/question.tsx"
import { api } from "#app/api.ts"
import { Link } from "#app/components/link.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import type { Reset } from "#domain/people"

export default function Page() {
  const token = useSearchParams().get("token") ?? ""
  const [done, setDone] = useState<Reset | null>(null)
  if (done) {
    return (
      <>
        <Heading title="Your password is changed">
          You are signed out everywhere. {removed(done)} Sign in with the new password.
        </Heading>
        <Link href="/sign-in" className={buttonLook({ variant: "primary", size: "lg", className: "w-full" })}>
          Sign in
        </Link>
      </>
    )
  }
  return (
    <Question
      title="Choose a new password"
      text="This signs you out everywhere and removes your passkeys and your second factor. Set them up again in Settings."
      submit="Change password"
      onSubmit={async (values) => {
        setDone(await api.setup.resetPassword.mutate({ token, password: String(values.get("password")) }))
      }}
    >
      <NewPassword label="New password" />
    </Question>
  )
}

/** Which sign-in methods were removed and must be set up again. */
function removed({ passkeys_removed: passkeys, second_factor_removed: hadSecondFactor }: Reset): string {
  const gone = [
    ...(passkeys > 0 ? [passkeys === 1 ? "your passkey" : `your ${passkeys} passkeys`] : []),
    ...(hadSecondFactor ? ["your second factor"] : []),
  ].join(" and ")
  return gone && `We removed ${gone}: set them up again in Settings, Your account.`
}
