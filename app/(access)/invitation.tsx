"use client"

import { useEffect, useState } from "react"
import { api } from "#app/api.ts"
import { FieldGroup, TextField } from "#app/components/form.tsx"
import { Failed, Loading } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { type Problem, problemOf } from "#app/components/problem.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { NewPassword } from "./password.tsx"
import { Heading, linkLook, Question } from "./question.tsx"
import { withAuth } from "./with-auth.ts"

type Offer = Awaited<ReturnType<typeof api.setup.look.query>>
type Visitor = { name: string; email: string } | null
type Seen = { offer: Offer; visitor: Visitor } | { error: unknown; problem: Problem } | null

const roles = {
  owner: "As an owner you can do everything and invite others.",
  developer:
    "As a developer you manage API keys, schemas and tokens, and revoke verifications. You cannot see claims or decide reviews.",
  compliance:
    "As a compliance officer you decide reviews, revoke verifications, see claims and export data. You cannot create keys or mint tokens.",
  viewer: "As a viewer you can see everything except claims and reviews, and cannot change anything.",
} as const satisfies Record<Offer["role"], string>

const termsOf = ({ role, second_factor_required }: Offer): string =>
  second_factor_required
    ? `${roles[role]} This account requires a second factor: have a passkey or an authenticator app ready.`
    : roles[role]

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

const Spent = () => (
  <>
    <Heading title="This link does not work">
      It was already used, has expired, was revoked, or is incomplete. Ask for a new one.
    </Heading>
    <Link href="/sign-in" prefetch={false} className={linkLook}>
      Sign in
    </Link>
  </>
)

const Newcomer = ({ token, offer }: { token: string; offer: Offer }) => (
  <>
    <Question
      title={offer.kind === "owner" ? "Create your account" : `Join ${offer.account}`}
      text={`${offer.kind === "owner" ? `For ${offer.account}. ` : ""}${termsOf(offer)}`}
      submit="Create account"
      onSubmit={async (values) => {
        const password = String(values.get("password"))
        const { email } = await api.setup.createUser.mutate({
          token,
          name: String(values.get("name")).trim(),
          email: String(values.get("email")).trim(),
          password,
          take_over: values.get("take_over") !== null,
        })
        await withAuth((auth) => auth.signIn.email({ email, password }))
        window.location.assign("/")
      }}
    >
      <TextField name="name" label="Name" required autoComplete="name" maxLength={100} />
      <OfferedEmail email={offer.email} hint="This link only works for this address." />
      <NewPassword />
      {offer.holder === "unconfirmed" && (
        <FieldGroup name="take_over" legend="This address is in use">
          <Checkbox name="take_over" value="yes" required>
            Someone registered {offer.email} and never confirmed it. It was not me, or I do not need that user: remove
            it and its access.
          </Checkbox>
        </FieldGroup>
      )}
    </Question>
    <HasAccount token={token} />
  </>
)

/** The email field. If the link is for one address, it shows that address. */
const OfferedEmail = ({ email, hint }: { email: string | null; hint?: string }) => (
  <TextField
    name="email"
    label="Email"
    required
    {...(email !== null && { hint })}
    type="email"
    autoComplete="username"
    defaultValue={email ?? ""}
    readOnly={email !== null}
  />
)

const HasAccount = ({ token }: { token: string }) => (
  <p className="mt-6 text-sm text-muted">
    Already have an account?{" "}
    <a href={signInFor(token)} className={linkLook}>
      Sign in to accept
    </a>
    .
  </p>
)

const signInFor = (token: string) => `/sign-in?next=${encodeURIComponent(`/join?token=${token}`)}`

/** For an invited address that already has a confirmed user: they sign in and accept. */
const SignInToJoin = ({ token, offer }: { token: string; offer: Offer }) => (
  <>
    <Heading title={`Join ${offer.account}`}>
      {termsOf(offer)} You already have an account with {offer.email}: sign in to accept.
    </Heading>
    <a href={signInFor(token)} className={buttonLook({ variant: "primary", size: "lg", className: "w-full" })}>
      Sign in
    </a>
  </>
)

/** Mails a second link first: an address is confirmed only once its owner opens a mailed link. */
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
      <Question
        title={`Join ${offer.account}`}
        text={`${termsOf(offer)} Enter your work email: we will send you a link to confirm it.`}
        submit="Send link"
        onSubmit={async (values) => {
          const email = String(values.get("email")).trim()
          setSentTo((await api.setup.mailLink.mutate({ token, email })).sent_to)
        }}
      >
        <OfferedEmail email={offer.email} />
      </Question>
      <HasAccount token={token} />
    </>
  )
}

function Join({ token, offer, visitor }: { token: string; offer: Offer; visitor: NonNullable<Visitor> }) {
  async function leave() {
    await withAuth((auth) => auth.signOut())
    window.location.reload()
  }
  return (
    <>
      <Question
        title={`Join ${offer.account}`}
        text={`${termsOf(offer)} You are signed in as ${visitor.name} (${visitor.email}).`}
        submit="Join"
        onSubmit={async () => {
          const { workspace } = await api.setup.join.mutate({ token })
          window.location.assign(`/${workspace}/overview`)
        }}
      />
      <p className="mt-6 text-sm">
        <Button variant="link" onClick={() => void leave()}>
          This is not me
        </Button>
      </p>
    </>
  )
}
