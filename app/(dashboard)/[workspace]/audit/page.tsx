"use client"

import { choice, day, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, To, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import { type AuditActor, auditActors } from "#shared/statuses.ts"
import { detailsOf } from "./details.ts"

const things = [
  ["key.", "API keys"],
  ["attestation.", "Attestations"],
  ["session.", "Sessions"],
  ["token.", "Mints, transfers and burns"],
  ["mint_config.", "Tokens and rules"],
  ["schema.", "Schemas"],
  ["webhook.", "Webhooks"],
  ["member.", "Members"],
  ["account.", "Account"],
  ["review.", "Reviews"],
  ["claims.", "Claims viewed"],
  ["wallet.", "Wallets frozen, lost or erased"],
  ["recovery.", "Recoveries of lost wallets"],
  ["distribution.", "Distributions"],
  ["payout.", "Payouts of distributions"],
  ["investor.", "Investors"],
  ["snapshot.", "Snapshots of the register"],
  ["audit_log.", "Audit log"],
] as const
const who = {
  user: "People",
  key: "API keys",
  operator: "Command line",
  system: "Vouch itself",
} as const satisfies Record<AuditActor, string>

const filters = {
  subject: text("Subject", "Id of the changed object"),
  action: choice("What", "Everything", things),
  actor: choice(
    "Who",
    "Anyone",
    auditActors.map((actor) => [actor, who[actor]]),
  ),
  from: day("from", "From"),
  to: day("to", "To"),
}

export default function Page() {
  return (
    <ListPage
      title="Audit"
      heading="Audit log"
      description={
        <>
          Changes in this workspace and the account. Entries cannot be edited or deleted. <Proof />
        </>
      }
      exports="audit"
      saved="audit"
      list={useList("audit.list", { filters, input: { limit: 50 } })}
      caption="Audit log"
      things="entries"
      columns={columns}
      rowKey={({ entry }) => entry}
      empty={
        <Empty title="No entries yet">
          Changes to API keys, attestations, tokens, schemas and members appear here.
        </Empty>
      }
    />
  )
}

const link = "text-accent underline underline-offset-2"

/** How far the log is anchored on chain. */
function Proof() {
  const { data } = useQuery("audit.proof")
  if (!data) return null
  const guide = (
    <NewTab href="/docs/guides/audit" className={link}>
      Verify the log
    </NewTab>
  )
  if (data.anchor === null) return <>Its hashes are not on chain yet. {guide}</>
  const { until, place, explorer } = data.anchor
  const what = `Entry ${grouped(String(place))}`
  return (
    <>
      {explorer === null ? (
        what
      ) : (
        <NewTab href={explorer} className={link}>
          {what}
        </NewTab>
      )}{" "}
      and all before it, until <Timestamp at={until} />, are anchored on chain. {guide}
    </>
  )
}

type Entry = RouterOutputs["audit"]["list"]["data"][number]

const kinds = {
  user: "Member",
  key: "API key",
  operator: "Operator",
  system: "Automatic",
} as const satisfies Record<AuditActor, string>

/** Subjects that have a page: prefix of the action → path below the workspace. */
const pages: Record<string, (entry: Entry) => string[]> = {
  attestation: ({ subject }) => ["attestations", subject],
  session: ({ subject }) => ["attestations", subject],
  investor: ({ subject }) => ["investors", subject],
  claims: ({ subject }) => ["attestations", subject],
  mint_config: ({ subject }) => ["tokens", subject],
  recovery: ({ subject }) => ["recoveries", subject],
  snapshot: ({ detail }) => ["tokens", String(detail.mint_config)],
  distribution: ({ subject }) => ["distributions", subject],
  payout: ({ detail }) => ["distributions", String(detail.distribution)],
  token: ({ subject, detail }) => ["tokens", String(detail.mint_config), "operations", subject],
}

const columns: Column<Entry>[] = [
  {
    header: "When",
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ at }) => <Timestamp at={at} />,
  },
  {
    header: "What",
    breaks: true,
    cell: (row) => (
      <div className="max-w-96 min-w-52">
        <code className="font-mono text-[13px]">{row.action}</code>
        <span className="block text-xs text-muted md:hidden">
          <Timestamp at={row.at} />, {row.actor_name}
        </span>
        {detailsOf(row.detail).map(({ name, text }) => (
          <span key={name} className="block text-xs text-muted">
            {name}: <Readable text={text} />
          </span>
        ))}
        {/* On narrow screens, in place of their columns. */}
        <div className="mt-1 flex flex-wrap items-baseline gap-x-3 md:hidden">
          <Subject of={row} />
          {row.request_id !== null && <Request of={row} />}
        </div>
      </div>
    ),
  },
  {
    header: "Who",
    breaks: true,
    wideOnly: true,
    cell: ({ actor_name }) => <span className="block min-w-28">{actor_name}</span>,
    note: ({ actor }) => kinds[actor],
  },
  { header: "Subject", breaks: true, wideOnly: true, cell: (row) => <Subject of={row} /> },
  { header: "Request", wideOnly: true, cell: (row) => <Request of={row} /> },
]

/** An address or an id that is too long to read. */
const LONG = /([1-9A-HJ-NP-Za-km-z]{32,})/

function Readable({ text }: { text: string }) {
  return text
    .split(LONG)
    .map((part) => (LONG.test(part) ? <Copyable key={part} compact value={part} what="the address" /> : part))
}

function Subject({ of: entry }: { of: Entry }) {
  const { action, subject, subject_name } = entry
  const page = pages[action.split(".")[0]!]
  const name = subject_name ?? (action === "member.invited" ? "Anyone with the link" : null)
  return (
    <>
      {name && <span className="block min-w-28">{name}</span>}
      {page ? (
        <To
          path={page(entry)}
          className="rounded-sm font-mono text-[13px] text-accent underline-offset-2 hover:underline"
        >
          {subject}
        </To>
      ) : (
        <Copyable compact value={subject} what="the subject" />
      )}
    </>
  )
}

/** The request. Only requests of API keys are in the log and have a link; those of the dashboard are not. */
function Request({ of: { actor, request_id } }: { of: Entry }) {
  if (request_id === null) return <span className="text-muted">None</span>
  if (actor !== "key") return <Copyable compact value={request_id} what="the request id" />
  return (
    <To
      path={["logs", request_id]}
      className="rounded-sm font-mono text-[13px] whitespace-nowrap text-accent underline-offset-2 hover:underline"
    >
      {`${request_id.slice(0, 12)}…`}
      <span className="sr-only"> in the log</span>
    </To>
  )
}
