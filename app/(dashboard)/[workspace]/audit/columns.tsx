"use client"

import { usePath } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/call.ts"
import { Copyable } from "#app/components/copyable.tsx"
import { columnsOf } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import type { AuditActor } from "#shared/statuses.ts"
import { detailsOf } from "./details.ts"

export type Entry = RouterOutputs["audit"]["list"]["data"][number]

const kinds = { user: "Member", key: "API key", operator: "Operator" } as const satisfies Record<
  AuditActor,
  string
>

/** Where a subject has a page: what an action is about → the path below the workspace. */
const pages: Record<string, (entry: Entry) => string[]> = {
  attestation: ({ subject }) => ["attestations", subject],
  session: ({ subject }) => ["attestations", subject],
  mint_config: ({ subject }) => ["tokens", subject],
  token: ({ subject, detail }) => ["tokens", String(detail.mint_config), "operations", subject],
}

const column = columnsOf<Entry>()

export const columns = [
  column.accessor("at", {
    header: "When",
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
        {detailsOf(original.detail).map(({ name, text }) => (
          <span key={name} className="block text-xs text-muted">
            {name}: {text}
          </span>
        ))}
      </div>
    ),
  }),
  column.display({
    id: "who",
    header: "Who",
    meta: { breaks: true },
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

/** What a key did is in the log of requests; what people did in these pages is not. */
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
