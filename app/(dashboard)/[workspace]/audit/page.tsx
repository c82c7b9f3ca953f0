"use client"

import { parseAsString, parseAsStringLiteral } from "nuqs"
import { ExportCsv } from "#app/(dashboard)/export-csv.tsx"
import { ChoiceFilter, DayFilters, Filters, given, TextFilter, useFilters } from "#app/(dashboard)/filters.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { type AuditActor, auditActors } from "#shared/statuses.ts"
import { detailsOf } from "./details.ts"

const PAGE = 50

const things = [
  { value: "key.", label: "API keys" },
  { value: "attestation.", label: "Attestations" },
  { value: "session.", label: "Sessions" },
  { value: "token.", label: "Mints and transfers" },
  { value: "mint_config.", label: "Tokens and rules" },
  { value: "schema.", label: "Schemas" },
  { value: "webhook.", label: "Webhooks" },
  { value: "member.", label: "Members" },
  { value: "account.", label: "Account" },
  { value: "review.", label: "Reviews" },
  { value: "claims.", label: "Claims viewed" },
  { value: "wallet.", label: "Erasures of wallets" },
  { value: "investor.", label: "Investors" },
]
const who = {
  user: "People",
  key: "API keys",
  operator: "Command line",
  system: "Vouch itself",
} as const satisfies Record<AuditActor, string>

const filters = {
  action: parseAsString,
  actor: parseAsStringLiteral(auditActors),
  subject: parseAsString,
}

export default function Page() {
  const { filter, setFilter, days, times, paging, isFiltered, current, onClear } = useFilters(filters)
  const { cursor } = paging
  const asked = { ...given(filter), ...times }
  const list = useQuery("audit.list", { limit: PAGE, ...asked, ...(cursor && { cursor }) }, { keep: true })
  return (
    <>
      <PageHeader
        title="Audit"
        heading="Audit log"
        description="Changes in this workspace and the account. Entries cannot be edited or deleted."
        actions={<ExportCsv list="audit" asked={asked} />}
      />
      <Filters onClear={onClear} saved={{ list: "audit", current }}>
        <TextFilter
          label="Subject"
          placeholder="Id of the changed object"
          value={filter.subject}
          onChange={(subject) => setFilter({ subject })}
        />
        <ChoiceFilter
          label="What"
          all="Everything"
          options={things}
          value={filter.action}
          onChange={(action) => setFilter({ action })}
        />
        <ChoiceFilter
          label="Who"
          all="Anyone"
          options={auditActors.map((value) => ({ value, label: who[value] }))}
          value={filter.actor}
          onChange={(actor) => setFilter({ actor: actor as AuditActor | null })}
        />
        <DayFilters labels={["From", "To"]} days={days} />
      </Filters>
      <DataTable
        caption="Audit log"
        columns={columns}
        list={list}
        rowKey={({ entry }) => entry}
        paging={paging}
        empty={
          isFiltered ? (
            <Empty title="No matching entries">Remove a filter or choose another date range.</Empty>
          ) : (
            <Empty title="No entries yet">
              Changes to API keys, attestations, tokens, schemas and members appear here.
            </Empty>
          )
        }
      />
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
  token: ({ subject, detail }) => ["tokens", String(detail.mint_config), "operations", subject],
}

const column = columnsOf<Entry>()

const columns = [
  column.accessor("at", {
    header: "When",
    meta: { wideOnly: true },
    cell: ({ getValue }) => (
      <span className="whitespace-nowrap">
        <Timestamp at={getValue()} />
      </span>
    ),
  }),
  column.display({
    id: "what",
    header: "What",
    meta: { breaks: true },
    cell: ({ row: { original } }) => (
      <div className="max-w-96 min-w-52">
        <code className="font-mono text-[13px]">{original.action}</code>
        <span className="block text-xs text-muted md:hidden">
          <Timestamp at={original.at} />, {original.actor_name}
        </span>
        {detailsOf(original.detail).map(({ name, text }) => (
          <span key={name} className="block text-xs text-muted">
            {name}: <Readable text={text} />
          </span>
        ))}
      </div>
    ),
  }),
  column.display({
    id: "who",
    header: "Who",
    meta: { breaks: true, wideOnly: true },
    cell: ({ row: { original } }) => (
      <>
        <span className="block min-w-28">{original.actor_name}</span>
        <span className="text-xs text-muted">{kinds[original.actor]}</span>
      </>
    ),
  }),
  column.display({
    id: "subject",
    header: "Subject",
    meta: { breaks: true },
    cell: ({ row: { original } }) => <Subject of={original} />,
  }),
  column.display({
    id: "request",
    header: "Request",
    cell: ({ row: { original } }) => <Request of={original} />,
  }),
]

/** An address or an id that is too long to read. */
const LONG = /([1-9A-HJ-NP-Za-km-z]{32,})/

/** A detail, with addresses shortened and ready to copy. */
function Readable({ text }: { text: string }) {
  return text
    .split(LONG)
    .map((part) => (LONG.test(part) ? <Copyable key={part} compact value={part} what="the address" /> : part))
}

function Subject({ of: entry }: { of: Entry }) {
  const path = usePath()
  const { action, subject, subject_name } = entry
  const page = pages[action.split(".")[0]!]
  const name = subject_name ?? (action === "member.invited" ? "Anyone with the link" : null)
  return (
    <>
      {name && <span className="block min-w-28">{name}</span>}
      {page ? (
        <Link
          href={path(...page(entry))}
          prefetch={false}
          className="rounded-sm font-mono text-[13px] text-accent underline-offset-2 hover:underline"
        >
          {subject}
        </Link>
      ) : (
        <Copyable compact value={subject} what="the subject" />
      )}
    </>
  )
}

/** The request. Only requests of API keys are in the log and have a link; those of the dashboard are not. */
function Request({ of: { actor, request_id } }: { of: Entry }) {
  const path = usePath()
  if (request_id === null) return <span className="text-muted">None</span>
  if (actor !== "key") return <Copyable compact value={request_id} what="the request id" />
  return (
    <Link
      href={path("logs", request_id)}
      prefetch={false}
      className="rounded-sm font-mono text-[13px] whitespace-nowrap text-accent underline-offset-2 hover:underline"
    >
      {`${request_id.slice(0, 12)}…`}
      <span className="sr-only"> in the log</span>
    </Link>
  )
}
