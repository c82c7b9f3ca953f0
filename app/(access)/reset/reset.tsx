"use client"

import { useState } from "react"
import { Form, Submit } from "../../components/form.tsx"
import { Link } from "../../components/link.tsx"
import { Button } from "../../components/ui/button.tsx"
import { Heading } from "../heading.tsx"
import { NewPassword } from "../password.tsx"

/** Takes a new password, with the token of the link. */
export function Reset({ token }: { token: string }) {
  const [isDone, setDone] = useState(false)
  if (isDone) {
    return (
      <>
        <Heading title="Your password is changed">
          You are signed out everywhere. Sign in with the new one.
        </Heading>
        <Button asChild variant="primary" size="lg" className="w-full">
          <Link href="/sign-in">Sign in</Link>
        </Button>
      </>
    )
  }
  return (
    <>
      <Heading title="Choose a new password">It replaces the old one, and signs you out everywhere.</Heading>
      <Form
        onSubmit={async (values) => {
          const { auth, throwIf } = await import("../auth.ts")
          throwIf((await auth.resetPassword({ newPassword: String(values.get("password")), token })).error)
          setDone(true)
        }}
      >
        <NewPassword label="New password" />
        <Submit size="lg" className="w-full">
          Change password
        </Submit>
      </Form>
    </>
  )
}
