"use client"

import { useParams } from "next/navigation.js"
import { type ReactNode, useState } from "react"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { type RouterOutputs, To, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { statusWord, TokenBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Empty, Facts, Loaded } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { countOf, shortCount } from "#shared/counts.ts"
import { shownStatuses } from "#shared/statuses.ts"
import { days } from "../days.ts"
import { SchemaForm } from "../schema-form.tsx"

type Schema = RouterOutputs["schema"]["view"]

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const { can } = useWorkspace()
  const [isChanging, setChanging] = useState(false)
  const query = useQuery("schema.view", { id })
  return (
    <>
      <DetailPage
        up={[["schemas"], "Schemas"]}
        name="Schema"
        query={query}
        head={({ name }) => ({
          heading: name,
          description: "Where this check is used, and how it is carried out.",
          actions: can("schema:write") && <Button onClick={() => setChanging(true)}>Edit</Button>,
        })}
      >
        {(schema) => (
          <TwoColumns
            wide={
              <>
                <Tokens tokens={schema.tokens} />
                <Attestations id={schema.id} />
              </>
            }
            narrow={<Settings schema={schema} />}
          />
        )}
      </DetailPage>
      {isChanging && query.data && <SchemaForm of={query.data} onClose={() => setChanging(false)} />}
    </>
  )
}

const Tokens = ({ tokens }: { tokens: Schema["tokens"] }) => (
  <Card title="Tokens that require it" description="Only wallets with this verification can receive them.">
    {tokens.length === 0 ? (
      <Empty title="No token requires it" className="py-6!">
        Choose it as the required schema when you create a token.
      </Empty>
    ) : (
      <ul className="divide-y divide-line border-t border-line">
        {tokens.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
            <span className="min-w-0">
              <To path={["tokens", token.id]}>{token.name}</To>
              <span className="block text-xs text-muted wrap-anywhere">
                {token.symbol}, {countOf(token.holders, "holder")},{" "}
                {token.transfer_mode === "agent" ? "moved only through Vouch" : "holders can move it themselves"}
              </span>
            </span>
            <TokenBadge token={token} />
          </li>
        ))}
      </ul>
    )}
  </Card>
)

/** How many there are in each status, each with the list of them. */
function Attestations({ id }: { id: string }) {
  const { can } = useWorkspace()
  return (
    <Card
      title="Verifications"
      description="Every verification for this schema, by its status now."
      actions={
        can("kyc:write") && (
          <To path={["sessions"]} query={`?schema=${id}`}>
            Open sessions
          </To>
        )
      }
    >
      <Loaded query={useQuery("attestation.count", { schema: id })} what="the counts" lines={3}>
        {(counts) => (
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            {(["all", ...shownStatuses] as const).map((status) => (
              <div key={status} className="rounded-lg border border-line px-3 py-2">
                <dt className="text-xs text-muted">{status === "all" ? "All" : statusWord(status)}</dt>
                <dd className="text-lg font-semibold tabular-nums">
                  <Counted id={id} status={status} any={counts[status].count > 0}>
                    {shortCount(counts[status])}
                  </Counted>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </Card>
  )
}

type CountedProps = { id: string; status: "all" | (typeof shownStatuses)[number]; any: boolean; children: ReactNode }

function Counted({ id, status, any, children }: CountedProps) {
  if (!any) return <span className="text-muted">{children}</span>
  return (
    <To
      path={["attestations"]}
      query={`?schema=${id}${status === "all" ? "" : `&status=${status}`}`}
      className="rounded-sm underline decoration-line underline-offset-4 hover:decoration-current"
    >
      {children}
      <span className="sr-only"> {status === "all" ? "" : statusWord(status).toLowerCase()} attestations</span>
    </To>
  )
}

const Settings = ({ schema }: { schema: Schema }) => {
  const { provider, wallet_proof, wallet_proof_setting, reminder_days } = schema
  return (
    <Card title="Settings">
      <Facts
        facts={{
          "Schema id": <Copyable value={schema.id} what="schema id" compact whole />,
          "Valid for": days(schema.validity_days),
          "Checked by": provider ? (
            <>
              {provider.label}
              <span className="block text-xs text-muted">
                {provider.chosen === "schema" ? "Chosen for this schema in" : "The provider of every schema, set in"}{" "}
                <code className="inline-block font-mono">{provider.setting}</code>
              </span>
            </>
          ) : (
            <span className="text-notice">No provider is configured for this mode.</span>
          ),
          "Wallet proof": (
            <>
              {wallet_proof ? "Required" : "Not required"}
              {wallet_proof_setting === null && <span className="block text-xs text-muted">By default</span>}
            </>
          ),
          Reminders:
            reminder_days.length === 0
              ? "None"
              : `${new Intl.ListFormat("en-GB").format(reminder_days.map(String))} days before it expires`,
          Created: <Timestamp at={schema.created_at} />,
        }}
      />
    </Card>
  )
}
