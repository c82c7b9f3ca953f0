"use client"

import { useSyncExternalStore } from "react"
import { CodeBlock } from "#app/components/code.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Card } from "#app/components/ui/card.tsx"

const WALLET = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const JSON_TYPE = '-H "Content-Type: application/json"'

/** The three requests of a first hour. A shell that has the two variables runs each as it is. */
const requests = [
  {
    title: "Start a verification",
    code: `curl -s $VOUCH/kyc/start -H "Authorization: Bearer $KEY" ${JSON_TYPE} \\
  -d '{"userPubkey":"${WALLET}","schemaId":"kyc_individual_v1"}'`,
    note: "Send the investor to the session_url in the answer.",
  },
  {
    title: "Get the wallet's status",
    code: `curl -s $VOUCH/kyc/status/${WALLET} -H "Authorization: Bearer $KEY"`,
    note: "The status is verified once the credential is confirmed on chain.",
  },
  {
    title: "Mint to the wallet",
    code: `curl -s $VOUCH/token/mint -H "Authorization: Bearer $KEY" ${JSON_TYPE} \\
  -H "Idempotency-Key: first-mint" \\
  -d '{"user_pubkey":"${WALLET}","mint_config":"us_real_estate_fund_v1","amount":"100"}'`,
    note: "The Idempotency-Key makes it safe to retry. Responses are kept for 24 hours, refusals too: to try again after one, change the key.",
  },
]

const documents = [
  { href: "/docs/api", name: "API reference", what: "Every endpoint, ready to try" },
  { href: "/docs/errors", name: "Errors", what: "Every error code and how to fix it" },
  {
    href: "/v1/openapi.json",
    name: "OpenAPI 3.1",
    what: "The API description, for client generators",
  },
  { href: "/developers", name: "Your workspace", what: "The same requests with your own key, and webhooks" },
]

/** The start page of the documentation. */
export default function Page() {
  const origin = useSyncExternalStore(
    never,
    () => location.origin,
    () => "",
  )
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 text-sm sm:px-6">
      <PageHeader
        title="Documentation"
        description="Verify the person behind a wallet, then mint and transfer tokens that only verified wallets can hold."
      />
      <ul className="mb-6 grid gap-3 sm:grid-cols-2">
        {documents.map(({ href, name, what }) => (
          <li key={href}>
            <a
              href={href}
              className="group block h-full rounded-xl border border-line bg-surface px-4 py-3 hover:bg-sunken"
            >
              <span className="font-medium group-hover:underline">{name}</span>
              <span className="block text-[13px] text-muted">{what}</span>
            </a>
          </li>
        ))}
      </ul>
      <Card
        title="Quick start"
        description="You need an API key: create one in the dashboard under API keys."
      >
        <div className="space-y-6">
          <CodeBlock label="Your key and this server" code={`KEY=vouch_test_…\nVOUCH=${origin}/v1`} />
          {requests.map(({ title, code, note }, index) => (
            <section key={title} aria-label={title} className="space-y-2">
              <h3 className="font-medium">
                {index + 1}. {title}
              </h3>
              <CodeBlock label={`${title} (curl)`} code={code} />
              <p className="text-muted">{note}</p>
            </section>
          ))}
        </div>
      </Card>
    </main>
  )
}

const never = () => () => {}
