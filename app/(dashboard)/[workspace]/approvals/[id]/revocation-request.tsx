import type { ReactNode } from "react"
import { publicReasonCopy } from "#app/(dashboard)/[workspace]/attestations/reason-fields.tsx"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { type RouterOutputs, useQuery } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Empty, Facts } from "#app/components/frame.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { countOf } from "#shared/counts.ts"
import { isPublicReason } from "#shared/public-reasons.ts"
import type { ShownStatus } from "#shared/statuses.ts"
import { shownName } from "#shared/visible.ts"
import type { ApprovalDetail } from "../summary.ts"

type Contents = RouterOutputs["bulkRevocation"]["contents"]
type Row = Contents["data"][number]

const columns: Column<Row>[] = [
  {
    header: "Wallet",
    cell: ({ user_pubkey, attestation_id }) => <Shortened value={user_pubkey ?? attestation_id} />,
  },
  {
    header: "Status now",
    phone: "value",
    cell: ({ status }) => (status === null ? NOTHING : <StatusBadge status={status} />),
  },
  {
    header: "External id",
    breaks: true,
    cell: ({ external_id }) => (external_id === null ? NOTHING : shownName(external_id)),
  },
  { header: "Schema", phone: "none", cell: ({ schema }) => schema ?? NOTHING },
]

/** The list that a bulk revocation would revoke: how it was selected, the first of it, and the rest as a file. */
export function RevocationRequest({ approval: { subject, request } }: { approval: ApprovalDetail }) {
  const contents = useQuery("bulkRevocation.contents", { id: subject })
  const { data } = contents
  const total = data?.total ?? 0
  return (
    <>
      <Facts
        facts={{
          Attestations: data && countOf(total, "attestation"),
          Selected: data && (data.filter === null ? "One by one" : "All that matched a filter"),
          ...(data?.filter && filterFacts(data.filter)),
          "Internal reason": text(request.reason),
          "Reason for the investor": isPublicReason(request.public_reason) && publicReasonCopy[request.public_reason],
        }}
      />
      <div className="mt-4 mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-[13px] text-muted">
          {data && (data.data.length < total ? `The first ${data.data.length} of ${total}.` : "All of them.")}
        </p>
        <ExportCsv list="bulk-revocation" label="Download the list" asked={{ id: subject }} />
      </div>
      <DataTable
        caption="Attestations to revoke"
        columns={columns}
        list={contents}
        rowKey={({ attestation_id }) => attestation_id}
        empty={<Empty title="This list is no longer kept" />}
      />
    </>
  )
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** A filter of the list of attestations, in the words of its page. */
const filterFacts = ({ q, status, schema, investor, from, to, expiring_before }: Record<string, string>) =>
  ({
    Search: q,
    Status: status === undefined ? "Any" : statusWord(status as ShownStatus),
    Schema: schema,
    Investor: investor,
    "Started from": from && <Timestamp at={from} />,
    "Started before": to && <Timestamp at={to} />,
    "Expires before": expiring_before && <Timestamp at={expiring_before} />,
  }) satisfies Record<string, ReactNode>
