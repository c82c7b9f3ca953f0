import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock, Copyable } from "#app/components/code.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { Code } from "./quick-start.tsx"
import { webhookSample } from "./samples.ts"

const documents = [
  { href: "/docs", name: "Documentation", what: "Where to start" },
  { href: "/docs/api", name: "API reference", what: "Every endpoint, ready to try" },
  { href: "/docs/errors", name: "Errors", what: "Every error code and how to fix it" },
  { href: "/v1/openapi.json", name: "OpenAPI 3.1, JSON", what: "For client generators" },
  { href: "/v1/openapi.yaml", name: "OpenAPI 3.1, YAML", what: "The same in a more readable format" },
]

/** What applies to every request, and how a KYC provider reports a decision. */
export function Guides() {
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
