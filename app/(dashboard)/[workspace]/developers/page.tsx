"use client"

import { parseAsStringLiteral, useQueryState } from "nuqs"
import { type ReactNode, useState } from "react"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock, Copyable } from "#app/components/code.tsx"
import { Card, Empty, Failed, Loading, PageHeader } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { chooseSampleLanguage, useSampleLanguage } from "#app/components/sample-language.ts"
import { buttonLook } from "#app/components/ui/button.tsx"
import { Label, Select } from "#app/components/ui/input.tsx"
import { Tabs } from "#app/components/ui/tabs.tsx"
import { type Language, languages, missingScopes, stepsFor, usual, webhookSample } from "./samples.ts"

/** How to build on this workspace: the first requests, ready to run, and links to the documentation. */
export default function Page() {
  const { isLoading } = useQuickStart()
  return (
    <>
      <PageHeader
        title="Developers"
        description="Verify a wallet and mint a token to it in four requests."
        actions={
          <>
            <a href="/docs/errors" className={buttonLook()}>
              Errors
            </a>
            <a href="/docs/api" className={buttonLook({ variant: "primary" })}>
              API reference
            </a>
          </>
        }
      />
      <div className="space-y-6">
        <QuickStart />
        {/* Waits for the part above, which would push it down. */}
        {!isLoading && <Guides />}
      </div>
    </>
  )
}

function useQuickStart() {
  const facts = useQuery("workspace.get")
  const keys = useQuery("key.list", {})
  const tokens = useQuery("mintConfig.list", {})
  const error = facts.error ?? keys.error ?? tokens.error
  return { facts, keys, tokens, error, isLoading: error === null && !(facts.data && keys.data && tokens.data) }
}

/** The first requests, with the reader's own key and this server's address in them. */
function QuickStart() {
  const path = usePath()
  const { can } = useWorkspace()
  const { facts, keys, tokens, error } = useQuickStart()
  const [chosen, setChosen] = useState<string | null>(null)
  const active = keys.data?.data.filter(({ status }) => status === "active")
  const able = active?.find(({ scopes }) => missingScopes(scopes).length === 0)
  const key = active?.find(({ key_id }) => key_id === chosen) ?? able ?? active?.[0]

  if (!facts.data || !active || !tokens.data) {
    return (
      <Card title="Quick start">
        {error ? (
          <Failed error={error} onRetry={() => Promise.all([facts.refetch(), keys.refetch(), tokens.refetch()])} />
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
  const missing = missingScopes(key.scopes)
  return (
    <Card
      title="Quick start"
      description={
        <>
          Ready to run, with this workspace’s address, a schema and a token. The requests show only the first characters
          of your key: replace them with the full key, which was shown once when you created it.
        </>
      }
      actions={
        <div className="space-y-1.5">
          <div className="flex flex-wrap items-center gap-2">
            <Label htmlFor="quick-start-key">Key</Label>
            <Select
              id="quick-start-key"
              className="w-44"
              value={key.key_id}
              onChange={(event) => setChosen(event.currentTarget.value)}
              options={active.map(({ key_id, name }) => [key_id, name] as const)}
            />
            {can("key:write") && (
              <Link
                href={`${path("keys")}?form=create`}
                prefetch={false}
                className={buttonLook({ variant: "link", className: "text-[13px]!" })}
              >
                Create key
              </Link>
            )}
          </div>
          <p role="status" className="max-w-80 text-[13px] text-notice empty:hidden">
            {missing.length > 0 &&
              `This key lacks ${new Intl.ListFormat("en-GB").format(missing)}. The ${missing.length === 1 ? "request that needs it" : "requests that need them"} would be refused.`}
          </p>
        </div>
      }
    >
      <Steps baseUrl={facts.data.base_url} keyStart={key.start} names={namesIn(tokens.data.data)} />
    </Card>
  )
}

/** The token that each workspace begins with, or the newest one, and the schema that it requires. */
function namesIn(tokens: readonly { id: string; required_schema: string }[]): typeof usual {
  const token = tokens.find(({ id }) => id === usual.mintConfig) ?? tokens[0]
  return token ? { schema: token.required_schema, mintConfig: token.id } : usual
}

const language = parseAsStringLiteral(languages.map(({ id }) => id))

type StepsProps = { baseUrl: string; keyStart: string; names: typeof usual }

function Steps({ baseUrl, keyStart, names }: StepsProps) {
  // Fixed while the page is open, so that every language shows the same attempt.
  const [attempt] = useState(newAttempt)
  const [asked, setAsked] = useQueryState("language", language)
  const remembered = useSampleLanguage()
  const chosen = asked ?? languages.find(({ docs }) => docs === remembered)?.id ?? "curl"
  const steps = stepsFor(names)
  const requests = (write: (typeof languages)[number]["write"], language: string) => {
    const sample = ({ title, call }: (typeof steps)[keyof typeof steps]) => (
      <CodeBlock label={`${title} (${language})`} code={write(call, { baseUrl, key: `${keyStart}…`, attempt })} />
    )
    return (
      <ol className="space-y-7">
        <Step number={1} title={steps.start.title} sample={sample(steps.start)}>
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
        <Step number={3} title={steps.status.title} sample={sample(steps.status)}>
          <p>
            <Code>status</Code> becomes <Code>verified</Code> once the credential is confirmed on chain;{" "}
            <Code>onchain_tx</Code> is the transaction.
          </p>
        </Step>
        <Step number={4} title={steps.mint.title} sample={sample(steps.mint)}>
          <p>
            The same request with the same <Code>Idempotency-Key</Code> mints once, however often you send it. Responses
            are kept for 24 hours, refusals too: to try again after one, change the key.
          </p>
          <p>
            You get 200 when the mint is confirmed, and 202 when it takes longer, or at once with the header{" "}
            <Code>Prefer: respond-async</Code>: then <Code>GET /token/operation/&#123;id&#125;</Code> gives its status.
            If a rule refuses the mint, you get 403 with the rule’s own code.
          </p>
        </Step>
      </ol>
    )
  }
  return (
    <Tabs
      label="Language"
      value={chosen}
      onChange={(language) => {
        void setAsked(language)
        chooseSampleLanguage(languages.find(({ id }) => id === language)!.docs)
      }}
      tabs={
        Object.fromEntries(languages.map(({ id, name, write }) => [id, [name, requests(write, name)]])) as LanguageTabs
      }
    />
  )
}

type LanguageTabs = Record<Language, [name: string, panel: ReactNode]>

/** Six characters. Not `randomUUID`, which browsers offer over HTTPS only. */
const newAttempt = () => crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36).padStart(6, "0").slice(-6)

type StepProps = { number: number; title: string; sample?: ReactNode; children: ReactNode }

/** A step with its request, which is next to the text on wide screens. */
const Step = ({ number, title, sample, children }: StepProps) => (
  <li className="grid min-w-0 items-start gap-x-8 gap-y-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
    <div className="grid min-w-0 gap-x-3 sm:grid-cols-[1.75rem_minmax(0,1fr)]">
      <span
        aria-hidden="true"
        className="hidden size-7 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent sm:flex"
      >
        {number}
      </span>
      <div className="min-w-0 space-y-2 [&_p]:max-w-2xl [&_p]:text-muted">
        <h3 className="font-medium sm:leading-7">
          <span className="sm:sr-only">{number}. </span>
          {title}
        </h3>
        {children}
      </div>
    </div>
    {sample}
  </li>
)

/** A name from the API within a sentence. */
const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-[13px] text-ink">{children}</code>
)

const documents = [
  { href: "/docs", name: "Documentation", what: "Where to start" },
  { href: "/docs/api", name: "API reference", what: "Every endpoint, ready to try" },
  { href: "/docs/errors", name: "Errors", what: "Every error code and how to fix it" },
  { href: "/v1/openapi.json", name: "OpenAPI 3.1, JSON", what: "For client generators" },
  { href: "/v1/openapi.yaml", name: "OpenAPI 3.1, YAML", what: "The same in a more readable format" },
]

function Guides() {
  const { data: facts } = useQuery("workspace.get")
  return (
    <>
      <div className="grid gap-6 lg:grid-cols-2">
        <Card title="Documents">
          <ul className="-my-2 divide-y divide-line">
            {documents.map(({ href, name, what }) => (
              <li key={href}>
                <a href={href} className="group block py-2">
                  <span className="font-medium group-hover:underline">{name}</span>
                  <span className="block text-[13px] text-muted">{what}</span>
                </a>
              </li>
            ))}
          </ul>
          {facts && (
            <p className="mt-4 flex flex-wrap items-center gap-x-3 border-t border-line pt-3 text-[13px] text-muted">
              Base URL <Copyable value={facts.base_url} what="the base URL" compact whole />
            </p>
          )}
        </Card>
        <Card title="Every request">
          <dl className="space-y-3 [&_dd]:text-muted [&_dt]:font-medium">
            <div>
              <dt>Idempotency</dt>
              <dd>
                Send <Code>Idempotency-Key</Code> with every POST, a new one for each new request. After a timeout or a
                5xx, retry with the same key: nothing happens twice. Responses are kept for 24 hours.
              </dd>
            </div>
            <div>
              <dt>Errors</dt>
              <dd>
                Three fields: <Code>error</Code> to act on, <Code>detail</Code> for a person, <Code>request_id</Code> to
                find the request in Logs. A code’s page is its address:{" "}
                <a href="/docs/errors/wallet_not_verified" className="text-accent underline underline-offset-4">
                  /docs/errors/wallet_not_verified
                </a>
              </dd>
            </div>
            <div>
              <dt>Rate limits</dt>
              <dd>
                Each key has its own. <Code>RateLimit</Code> shows what is left. A 429 says in <Code>Retry-After</Code>{" "}
                when to continue.
              </dd>
            </div>
            <div>
              <dt>Lists</dt>
              <dd>
                Newest first, by <Code>limit</Code> and <Code>cursor</Code>. A cursor stays valid while rows are added.
              </dd>
            </div>
          </dl>
        </Card>
      </div>
      <Card
        title="Sign a provider’s webhook"
        description={
          <>
            Vouch authenticates a KYC provider by its signature (
            <a
              href="https://www.standardwebhooks.com"
              rel="noreferrer"
              target="_blank"
              className="text-accent underline underline-offset-4"
            >
              Standard Webhooks
            </a>
            ), not by an API key.
          </>
        }
      >
        <div className="space-y-4">
          <ol className="list-decimal space-y-1 pl-5 text-muted">
            <li>
              Serialize the body once. Sign <Code>id.timestamp.body</Code>, byte for byte as you send it.
            </li>
            <li>
              HMAC-SHA256 with the secret, base64, after <Code>v1,</Code> in <Code>webhook-signature</Code>. The signing
              key is the part after <Code>whsec_</Code>, decoded from base64.
            </li>
            <li>
              Send it within 300 seconds. After a 5xx, send it again with the same <Code>webhook-id</Code>: a repeat
              returns <Code>duplicate</Code> and changes nothing.
            </li>
            <li>
              Events are ordered by <Code>occurred_at</Code>: an event older than the last applied one returns{" "}
              <Code>ignored</Code>.
            </li>
          </ol>
          {facts && <CodeBlock label="Sign in Node" code={webhookSample(facts.base_url)} />}
          {facts?.webhook_secret && <WebhookSecret place={facts.webhook_secret} />}
        </div>
      </Card>
    </>
  )
}

/** Where to find the secret to sign a webhook by hand. The page never gets the secret itself. */
function WebhookSecret({ place: { variable, file } }: { place: { variable: string; file: string | null } }) {
  if (file === null) {
    return (
      <p className="text-muted">
        The secret is in the server’s environment, as <Code>{variable}</Code>: the administrator of this server has it.
      </p>
    )
  }
  const path = JSON.stringify(file)
  const command = `export VOUCH_WEBHOOK_SECRET="$(node -p 'require(${path}).${variable}')"
export SESSION_ID=sess_…   # from the session's address
node sign.mjs`
  return (
    <>
      <p className="text-muted">
        This server created its own secret. It is <Code>{variable}</Code> in <Code>{file}</Code>, on the machine of the
        server. To send a webhook by hand, save the sample as <Code>sign.mjs</Code> and run:
      </p>
      <CodeBlock label="Send a test webhook" code={command} />
    </>
  )
}
