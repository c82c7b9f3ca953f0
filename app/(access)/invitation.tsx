"use client"

import { useEffect, useState } from "react"
import { api } from "#app/api.ts"
import { Field, Form, Submit } from "#app/components/form.tsx"
import { Link } from "#app/components/link.tsx"
import { type Problem, problemOf } from "#app/components/problem.ts"
import { Failed, Loading } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/checkbox.tsx"
import { Input } from "#app/components/ui/input.tsx"
import { Heading, linkLook } from "./heading.tsx"
import { NewPassword } from "./password.tsx"

type Offer = Awaited<ReturnType<typeof api.setup.look.query>>
type Visitor = { name: string; email: string } | null
type Seen = { offer: Offer; visitor: Visitor } | { error: unknown; problem: Problem } | null

const roles = {
  owner: "As an owner you can do everything and invite others.",
  developer: "As a developer you can do everything except manage members.",
  viewer: "As a viewer you can see everything and change nothing.",
} as const satisfies Record<Offer["role"], string>

/** The page an invitation link opens: creates a user, or lets an existing user join the account. */
export function Invitation({ token, mayBeSignedIn }: { token: string; mayBeSignedIn: boolean }) {
  const [seen, setSeen] = useState<Seen>(null)
  const [attempt, setAttempt] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt checks the link again
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    look(token, mayBeSignedIn, signal).then(
      (found) => signal.aborted || setSeen(found),
      (error) => signal.aborted || setSeen({ error, problem: problemOf(error) }),
    )
    return () => leaving.abort()
  }, [token, mayBeSignedIn, attempt])

  if (seen === null) {
    return (
      <>
        <title>Vouch</title>
        <Loading what="Checking your link" />
      </>
    )
  }
  if ("error" in seen) {
    if (seen.problem.code === "invalid_link" || seen.problem.code === "validation_failed") return <Spent />
    return (
      <>
        <Heading title="This link could not be checked" />
        <Failed error={seen.error} onRetry={() => setAttempt((count) => count + 1)} />
      </>
    )
  }
  const { offer, visitor } = seen
  if (visitor) return <Join token={token} offer={offer} visitor={visitor} />
  if (offer.needs_mail) return <MailFirst token={token} offer={offer} />
  return offer.holder === "taken" ? (
    <SignInToJoin token={token} offer={offer} />
  ) : (
    <Newcomer token={token} offer={offer} />
  )
}

async function look(token: string, mayBeSignedIn: boolean, signal: AbortSignal) {
  const offer = await api.setup.look.query({ token }, { signal })
  if (!mayBeSignedIn) return { offer, visitor: null }
  const { auth } = await import("./auth.ts")
  const { data } = await auth.getSession()
  return { offer, visitor: data?.user ?? null }
}

function Spent() {
  return (
    <>
      <Heading title="This link does not work">
        It was already used, has expired, was revoked, or is incomplete. Ask for a new one.
      </Heading>
      <Link href="/sign-in" prefetch={false} className={linkLook}>
        Sign in
      </Link>
    </>
  )
}

function Newcomer({ token, offer }: { token: string; offer: Offer }) {
  return (
    <>
      <Heading title={offer.kind === "owner" ? "Create your account" : `Join ${offer.account}`}>
        {offer.kind === "owner" ? `For ${offer.account}. ` : ""}
        {roles[offer.role]}
      </Heading>
      <Form
        onSubmit={async (values) => {
          const password = String(values.get("password"))
          const { email } = await api.setup.createUser.mutate({
            token,
            name: String(values.get("name")).trim(),
            email: String(values.get("email")).trim(),
            password,
            take_over: values.get("take_over") !== null,
          })
          const { auth, throwIf } = await import("./auth.ts")
          throwIf((await auth.signIn.email({ email, password })).error)
          window.location.assign("/")
        }}
      >
        <Field name="name" label="Name" required>
          <Input autoComplete="name" maxLength={100} />
        </Field>
        <Field
          name="email"
          label="Email"
          required
          {...(offer.email !== null && { hint: "This link only works for this address." })}
        >
          <Input
            type="email"
            autoComplete="username"
            defaultValue={offer.email ?? ""}
            readOnly={offer.email !== null}
          />
        </Field>
        <NewPassword />
        {offer.holder === "unconfirmed" && (
          <Checkbox name="take_over" value="yes" required>
            Someone registered {offer.email} and never confirmed it. It was not me, or I do not need that
            user: remove it and its access.
          </Checkbox>
        )}
        <Submit size="lg" className="w-full">
          Create account
        </Submit>
      </Form>
      <HasAccount token={token} />
    </>
  )
}

function HasAccount({ token }: { token: string }) {
  return (
    <p className="mt-6 text-sm text-muted">
      Already have an account?{" "}
      <a href={signInFor(token)} className={linkLook}>
        Sign in to accept
      </a>
      .
    </p>
  )
}

const signInFor = (token: string) => `/sign-in?next=${encodeURIComponent(`/join?token=${token}`)}`

/** Whose address is confirmed here already comes in as that person. */
function SignInToJoin({ token, offer }: { token: string; offer: Offer }) {
  return (
    <>
      <Heading title={`Join ${offer.account}`}>
        {roles[offer.role]} You already have an account with {offer.email}: sign in to accept.
      </Heading>
      <Button asChild variant="primary" size="lg" className="w-full">
        <a href={signInFor(token)}>Sign in</a>
      </Button>
    </>
  )
}

/** Mails a second link first: an address counts only once a mailed link is opened. */
function MailFirst({ token, offer }: { token: string; offer: Offer }) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  if (sentTo !== null) {
    return (
      <Heading title="Check your email">
        Open the link we sent to {sentTo} to join {offer.account}. Wrong address? Open your first link again.
      </Heading>
    )
  }
  return (
    <>
      <Heading title={`Join ${offer.account}`}>
        {roles[offer.role]} Enter your work email: we send you a link to confirm it.
      </Heading>
      <Form
        onSubmit={async (values) => {
          const email = String(values.get("email")).trim()
          setSentTo((await api.setup.mailLink.mutate({ token, email })).sent_to)
        }}
      >
        <Field name="email" label="Email" required>
          <Input
            type="email"
            autoComplete="username"
            defaultValue={offer.email ?? ""}
            readOnly={offer.email !== null}
          />
        </Field>
        <Submit size="lg" className="w-full">
          Send link
        </Submit>
      </Form>
      <HasAccount token={token} />
    </>
  )
}

function Join({ token, offer, visitor }: { token: string; offer: Offer; visitor: NonNullable<Visitor> }) {
  async function leave() {
    const { auth } = await import("./auth.ts")
    await auth.signOut()
    window.location.reload()
  }
  return (
    <>
      <Heading title={`Join ${offer.account}`}>
        {roles[offer.role]} You are signed in as {visitor.name} ({visitor.email}).
      </Heading>
      <Form
        onSubmit={async () => {
          const { workspace } = await api.setup.join.mutate({ token })
          window.location.assign(`/${workspace}/overview`)
        }}
      >
        <Submit size="lg" className="w-full">
          Join
        </Submit>
      </Form>
      <p className="mt-6 text-sm">
        <Button variant="link" onClick={() => void leave()}>
          This is not me
        </Button>
      </p>
    </>
  )
}
