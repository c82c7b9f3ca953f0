"use client"

import { useState } from "react"
import { Heading, linkLook, Question } from "#app/(access)/question.tsx"
import { api } from "#app/api.ts"
import { TextField } from "#app/components/form.tsx"
import { Link } from "#app/components/link.tsx"

const outcomes = {
  sent: (
    <Heading title="Check your email">
      If this address belongs to a confirmed account, we sent a link to it. It works for one hour. No email after five
      minutes? Try again, or ask your administrator.
    </Heading>
  ),
  noMail: (
    <Heading title="Ask your administrator">
      This server cannot send email. Your administrator can create a link for you with{" "}
      <code className="font-mono text-[13px]">npm run vouch -- user reset &lt;email&gt;</code>.
    </Heading>
  ),
}

/** Sends a link for a new password. If the server cannot send mail, says who can create one. */
export default function Forgot() {
  const [outcome, setOutcome] = useState<keyof typeof outcomes | null>(null)
  if (outcome) {
    return (
      <>
        {outcomes[outcome]}
        <BackToSignIn />
      </>
    )
  }
  return (
    <>
      <Question
        title="Forgot your password?"
        text="Enter your email address. We will send you a link to choose a new one."
        submit="Send link"
        onSubmit={async (values) => {
          const { mail } = await api.setup.options.query()
          if (!mail) return setOutcome("noMail")
          await api.setup.requestReset.mutate({ email: String(values.get("email")).trim() })
          setOutcome("sent")
        }}
      >
        <TextField name="email" label="Email" required type="email" autoComplete="username" />
      </Question>
      <BackToSignIn />
    </>
  )
}

const BackToSignIn = () => (
  <p className="mt-6 text-sm">
    <Link href="/sign-in" prefetch={false} className={linkLook}>
      Back to sign in
    </Link>
  </p>
)
