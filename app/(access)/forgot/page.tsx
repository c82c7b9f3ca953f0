"use client"

import { useState } from "react"
import { api } from "../../api.ts"
import { Field, Form, Submit } from "../../components/form.tsx"
import { Link } from "../../components/link.tsx"
import { Input } from "../../components/ui/input.tsx"
import { Heading, linkLook } from "../heading.tsx"

/** Sends a link for a new password, where the server can send mail; else says who can make one. */
export default function Forgot() {
  const [outcome, setOutcome] = useState<"sent" | "no mail" | null>(null)
  if (outcome === "sent") {
    return (
      <>
        <Heading title="Look into your mail">
          If the address belongs to somebody here, a link is on its way to it. It works for one hour.
        </Heading>
        <BackToSignIn />
      </>
    )
  }
  if (outcome === "no mail") {
    return (
      <>
        <Heading title="Ask whoever runs this server">
          It sends no mail. Its operator makes a link for you with{" "}
          <code className="font-mono text-[13px]">npm run vouch -- user reset &lt;email&gt;</code>.
        </Heading>
        <BackToSignIn />
      </>
    )
  }
  return (
    <>
      <Heading title="Forgot your password?">Enter your address. You get a link to choose a new one.</Heading>
      <Form
        onSubmit={async (values) => {
          const { mail } = await api.setup.options.query()
          if (!mail) return setOutcome("no mail")
          const { auth, throwIf } = await import("../auth.ts")
          throwIf((await auth.requestPasswordReset({ email: String(values.get("email")) })).error)
          setOutcome("sent")
        }}
      >
        <Field name="email" label="Email" required>
          <Input type="email" autoComplete="username" />
        </Field>
        <Submit size="lg" className="w-full">
          Send the link
        </Submit>
      </Form>
      <BackToSignIn />
    </>
  )
}

function BackToSignIn() {
  return (
    <p className="mt-6 text-sm">
      <Link href="/sign-in" prefetch={false} className={linkLook}>
        Back to sign in
      </Link>
    </p>
  )
}
