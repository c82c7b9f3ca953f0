import { investorsColumn, walletsOf } from "#app/(dashboard)/[workspace]/tokens/[config]/operation-list.tsx"
import type { Owner } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { TokenName } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { hasEnded, kindNames, type Operation, operationName } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago, NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import type { AttestationSummary } from "#domain/attestations"
import { grouped } from "#shared/amount.ts"
import { reasonNames } from "#shared/movements.ts"
import { keptDays } from "#shared/retention.ts"

const verificationColumns: Column<AttestationSummary>[] = [
  { header: "Schema", cell: ({ schema }) => <SchemaName id={schema} /> },
  { header: "Status", phone: "value", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Wallet", cell: ({ user_pubkey }) => <Shortened value={user_pubkey} /> },
  { header: "Started", cell: ({ started_at }) => <Ago at={started_at} /> },
  { header: "Expires", phone: "none", cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
]

/** All verifications of an investor, including those of wallets that now belong to another investor. */
export const Verifications = ({ investorId }: { investorId: string }) => (
  <List
    list={useList("attestation.search", { input: { investor: investorId } })}
    caption="Verifications"
    exports="attestations"
    columns={verificationColumns}
    rowPath={({ attestation_id }) => ["attestations", attestation_id]}
    empty={<Empty title="No verifications">Sessions of this investor appear here.</Empty>}
  />
)

const operationColumnsWith = (people: readonly Owner[]): Column<Operation>[] => [
  { header: "Operation", cell: operationName },
  { header: "Token", phone: "none", breaks: true, cell: ({ mint_config }) => <TokenName id={mint_config} /> },
  {
    header: "Amount",
    align: "end",
    phone: "value",
    className: "whitespace-nowrap",
    cell: ({ amount }) => grouped(amount),
  },
  investorsColumn(people),
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Created", cell: ({ created_at }) => <Ago at={created_at} /> },
]

export function InvestorOperations({ investorId }: { investorId: string }) {
  const list = useList("investor.operations", { input: { id: investorId }, isAtRest: hasEnded })
  const people = useOwners(list.query.data?.data.flatMap(walletsOf) ?? [])
  return (
    <List
      list={list}
      caption="Operations"
      exports="investor-operations"
      columns={operationColumnsWith(people)}
      rowPath={({ mint_config, operation_id }) => ["tokens", mint_config, "operations", operation_id]}
      empty={
        <Empty title="No operations">Mints, transfers and redemptions of this investor's wallets appear here.</Empty>
      }
    />
  )
}

type Refusal = RouterOutputs["investor"]["refusals"]["data"][number]

const what = { ...kindNames, verification: "Verification" } as const satisfies Record<Refusal["what"], string>

const refusalColumns: Column<Refusal>[] = [
  { header: "When", phone: "value", cell: ({ at }) => <Ago at={at} /> },
  {
    header: "What",
    phone: "lead",
    breaks: true,
    cell: (row) => what[row.what],
    note: ({ amount }) => amount && grouped(amount),
  },
  {
    header: "Why",
    breaks: true,
    cell: ({ error }) => <code className="font-mono text-[13px]">{error}</code>,
    note: ({ detail }) => detail,
  },
  { header: "Source", cell: (row) => <Source of={row} /> },
]

/** Links to the request that was refused at once, or to the operation that failed later. */
function Source({ of: { request_id, operation_id, mint_config } }: { of: Refusal }) {
  const look = "rounded-sm text-accent underline-offset-2 hover:underline"
  if (request_id) {
    return (
      <To path={["logs", request_id]} className={look}>
        Request
      </To>
    )
  }
  if (!operation_id || !mint_config) return NOTHING
  return (
    <To path={["tokens", mint_config, "operations", operation_id]} className={look}>
      Operation
    </To>
  )
}

/** Requests of an investor's wallets that were refused, and operations that failed. */
export const Refusals = ({ investorId }: { investorId: string }) => (
  <>
    <p className="mb-3 text-[13px] text-muted">
      Requests that a rule refused, from the last {keptDays.requests} days, and operations that failed. The newest 50.
    </p>
    <List
      list={useList("investor.refusals", { input: { id: investorId } })}
      caption="Refusals"
      exports="refusals"
      columns={refusalColumns}
      rowKey={({ request_id, operation_id }) => request_id ?? operation_id ?? ""}
      empty={
        <Empty title="Nothing refused">Requests that a rule refuses, and operations that fail, appear here.</Empty>
      }
    />
  </>
)

type Recovery = RouterOutputs["recovery"]["list"]["data"][number]

const recoveryColumns: Column<Recovery>[] = [
  { header: "Lost wallet", cell: ({ lost_wallet }) => <Shortened value={lost_wallet} /> },
  {
    header: "New wallet",
    phone: "labelled",
    cell: ({ new_wallet }) => (new_wallet === null ? NOTHING : <Shortened value={new_wallet} />),
  },
  { header: "Reason", cell: ({ reason_code }) => reasonNames[reason_code] },
  { header: "State", phone: "value", cell: ({ state }) => <StatusBadge status={state} /> },
  { header: "Reported", cell: ({ created_at }) => <Ago at={created_at} /> },
]

/** The recoveries of an investor's lost wallets. */
export const Recoveries = ({ investorId }: { investorId: string }) => (
  <List
    list={useList("recovery.list", { input: { id: investorId, limit: 10 } })}
    caption="Recoveries"
    exports="recoveries"
    columns={recoveryColumns}
    rowPath={({ recovery_id }) => ["recoveries", recovery_id]}
    empty={<Empty title="No recoveries">Wallets of this investor that were reported as lost appear here.</Empty>}
  />
)
