import { parseAsStringLiteral, useQueryState } from "nuqs"
import { type ReactNode, useState } from "react"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { Empty, Failed, Loading } from "#app/components/states.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { Label, Select } from "#app/components/ui/input.tsx"
import { Tabs } from "#app/components/ui/tabs.tsx"
import { type Language, languages, steps } from "./samples.ts"

/** What the quick start needs: this server's address and the reader's keys. */
export function useQuickStart() {
  const facts = useQuery("workspace.get")
  const keys = useQuery("key.list", {})
  const error = facts.error ?? keys.error
  return { facts, keys, error, isLoading: error === null && !(facts.data && keys.data) }
}

/** The first requests, with the reader's own key and this server's address in them. */
export function QuickStart() {
  const path = usePath()
  const { can } = useWorkspace()
  const { facts, keys, error } = useQuickStart()
  const [chosen, setChosen] = useState<string | null>(null)
  const active = keys.data?.data.filter(({ status }) => status === "active")
  const key = active?.find(({ key_id }) => key_id === chosen) ?? active?.[0]

  if (!facts.data || !active) {
    return (
      <Card title="Quick start">
        {error ? (
          <Failed error={error} onRetry={() => Promise.all([facts.refetch(), keys.refetch()])} />
        ) : (
          <Loading what="Loading the quick start" lines={8} />
        )}
      </Card>
    )
  }
  if (!key) {
    return (
      <Card title="Quick start">
        <Empty
          title="Create an API key first"
          action={
            can("key:write") && (
              <Link href={path("keys")} className={buttonLook({ variant: "primary" })}>
                API keys
              </Link>
            )
          }
        >
          {can("key:write")
            ? "This workspace has no API key. Create one to run the requests here."
            : "This workspace has no API key. Ask an owner or a developer to create one."}
        </Empty>
      </Card>
    )
  }
  return (
    <Card
      title="Quick start"
      description={
        <>
          The requests show only the first characters of your key. Replace them with the full key, which was shown once
          when you created it.
        </>
      }
      actions={
        active.length > 1 && (
          <div className="flex items-center gap-2">
            <Label htmlFor="quick-start-key">Key</Label>
            <Select
              id="quick-start-key"
              className="w-44"
              value={key.key_id}
              onChange={(event) => setChosen(event.currentTarget.value)}
              options={active.map(({ key_id, name }) => [key_id, name] as const)}
            />
          </div>
        )
      }
    >
      <Steps baseUrl={facts.data.base_url} keyStart={key.start} />
    </Card>
  )
}

const language = parseAsStringLiteral(languages.map(({ id }) => id)).withDefault("curl")

function Steps({ baseUrl, keyStart }: { baseUrl: string; keyStart: string }) {
  // Fixed while the page is open, so that every language shows the same attempt.
  const [attempt] = useState(newAttempt)
  const [chosen, setChosen] = useQueryState("language", language)
  const requests = (write: (typeof languages)[number]["write"], language: string) => {
    const sample = ({ title, call }: (typeof steps)[keyof typeof steps]) => (
      <CodeBlock label={`${title} (${language})`} code={write(call, { baseUrl, key: `${keyStart}…`, attempt })} />
    )
    return (
      <ol className="space-y-7">
        <Step number={1} title={steps.start.title}>
          {sample(steps.start)}
          <p>
            The response contains <Code>session_url</Code>, the page where the investor verifies. The same request again
            returns the same session.
          </p>
        </Step>
        <Step number={2} title="Open the page">
          <p>
            Send the investor to <Code>session_url</Code>, or open it yourself: in test mode you can choose the result.
            A <Code>redirectUrl</Code> in the first request sends them back to you.
          </p>
        </Step>
        <Step number={3} title={steps.status.title}>
          {sample(steps.status)}
          <p>
            <Code>status</Code> becomes <Code>verified</Code> once the credential is confirmed on chain;{" "}
            <Code>onchain_tx</Code> is the transaction.
          </p>
        </Step>
        <Step number={4} title={steps.mint.title}>
          {sample(steps.mint)}
          <p>
            The same request with the same <Code>Idempotency-Key</Code> mints once, however often you send it. Responses
            are kept for 24 hours, refusals too: to try again after one, change the key. You get 200 when the mint is
            confirmed, and 202 when it takes longer, or at once with the header <Code>Prefer: respond-async</Code>: then{" "}
            <Code>GET /token/operation/&#123;id&#125;</Code> gives its status. If a rule refuses the mint, you get 403
            with the rule’s own code.
          </p>
        </Step>
      </ol>
    )
  }
  return (
    <Tabs
      label="Language"
      value={chosen}
      onChange={(language) => void setChosen(language)}
      tabs={
        Object.fromEntries(languages.map(({ id, name, write }) => [id, [name, requests(write, name)]])) as LanguageTabs
      }
    />
  )
}

type LanguageTabs = Record<Language, [name: string, panel: ReactNode]>

/** Six characters. Not `randomUUID`, which browsers offer over HTTPS only. */
const newAttempt = () => crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36).padStart(6, "0").slice(-6)

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="grid min-w-0 gap-x-3 sm:grid-cols-[1.75rem_minmax(0,1fr)]">
      <span
        aria-hidden="true"
        className="hidden size-7 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent sm:flex"
      >
        {number}
      </span>
      <div className="min-w-0 space-y-3 [&_p]:max-w-2xl [&_p]:text-muted">
        <h3 className="font-medium sm:leading-7">
          <span className="sm:sr-only">{number}. </span>
          {title}
        </h3>
        {children}
      </div>
    </li>
  )
}

/** A name from the API within a sentence. */
export const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-[13px] text-ink">{children}</code>
)
