"use client"

import { parseAsString } from "nuqs"
import { dateRange } from "#app/(dashboard)/date-range.tsx"
import { ChoiceField, choice, type FieldProps, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { NewTab } from "#app/components/link.tsx"
import { dayIn, TimeOfDay, Timestamp } from "#app/components/timestamp.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { grouped } from "#shared/amount.ts"
import { type AuditActor, auditActors } from "#shared/statuses.ts"
import { Told } from "./told.tsx"

const things = [
  ["key.", "API keys"],
  ["attestation.", "Attestations"],
  ["bulk_revocation.", "Bulk revocations"],
  ["session.", "Sessions"],
  ["token.", "Mints, transfers and redemptions"],
  ["mint_config.", "Tokens and rules"],
  ["schema.", "Schemas"],
  ["webhook.", "Webhooks"],
  ["approval", "Approvals and their policies"],
  ["member.", "Members"],
  ["account.", "Account"],
  ["review.", "Reviews"],
  ["claims.", "Claims viewed"],
  ["wallet.", "Wallets frozen, lost or erased"],
  ["hold.", "Holds"],
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
  subject: text("Person or object", "Name, wallet or id"),
  action: choice("What", "Everything", things),
  actor: choice(
    "Who",
    "Anyone",
    auditActors.map((actor) => [actor, who[actor]]),
  ),
  actor_id: { parser: parseAsString, Field: ActorField },
  ...dateRange("Time"),
}

function ActorField({ value, onChange }: FieldProps<string>) {
  const members = useQuery("member.list").data?.members ?? []
  const keys = useQuery("key.list", {}).data?.data ?? []
  const known = [
    ...members.map(({ user_id, name }) => [user_id, name] as const),
    ...keys.map(({ key_id, name }) => [key_id, `Key ${name}`] as const),
  ]
  // A link from an entry can name a member who has left.
  const isKnown = value === null || known.some(([id]) => id === value)
  const options = isKnown ? known : [...known, [value, "Former member or key"] as const]
  return <ChoiceField label="Member or key" all="All" {...{ options, value, onChange }} />
}

export default function Page() {
  const zone = useTimeZone()
  return (
    <ListPage
      title="Audit"
      heading="Audit log"
      description={
        <>
          Who did what in this workspace and the account. Entries cannot be edited or deleted. <Proof />
        </>
      }
      exports="audit"
      saved="audit"
      list={useList("audit.list", { filters, input: { limit: 50 } })}
      caption="Audit log"
      things="entries"
      columns={columns}
      rowKey={({ entry }) => entry}
      groupOf={({ at }) => dayIn(zone, at)}
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
      How to verify the log
    </NewTab>
  )
  if (data.anchor === null) return <>The hashes of the log are not on chain yet. {guide}</>
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

const columns: Column<Entry>[] = [
  {
    header: "When",
    phone: "none",
    // Level with the sentence, also when the details are open.
    className: "w-24 text-muted [td&]:py-3! [td&]:align-top!",
    cell: ({ at }) => <TimeOfDay at={at} />,
  },
  {
    header: "What happened",
    phone: "lead",
    breaks: true,
    className: "md:[td&]:py-2.5! md:[td&]:align-top!",
    cell: (entry) => (
      <div className="font-normal">
        <Told entry={entry} />
      </div>
    ),
  },
]
