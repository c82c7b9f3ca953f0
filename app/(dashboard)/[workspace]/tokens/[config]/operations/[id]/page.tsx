"use client"

import { useParams } from "next/navigation.js"
import { OperationSteps } from "#app/(dashboard)/[workspace]/tokens/[config]/operation-steps.tsx"
import {
  type OperationDetail,
  operationName,
  useOperation,
  useToken,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { TransactionLink } from "#app/(dashboard)/transaction-drawer.tsx"
import { InvestorLink, To } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { grouped, solOf } from "#shared/amount.ts"
import { isForced } from "#shared/movements.ts"
import { Grounds } from "./grounds.tsx"

export default function Page() {
  const { config, id } = useParams<{ config: string; id: string }>()
  const token = useToken(config).data
  const symbol = token?.symbol ?? ""
  return (
    <DetailPage
      up={[["tokens", config], token?.name ?? config]}
      name="Operation"
      query={useOperation(id)}
      head={({ operation }) => ({
        heading: `${operationName(operation)} of ${grouped(operation.amount)} ${symbol}`.trim(),
        badge: <StatusBadge status={operation.status} />,
        description: <Requested of={operation.created_at} />,
      })}
    >
      {(detail) => <Operation detail={detail} symbol={symbol} />}
    </DetailPage>
  )
}

const Requested = ({ of }: { of: string }) => (
  <>
    Requested <Ago at={of} />
  </>
)

function Operation({ detail, symbol }: { detail: OperationDetail; symbol: string }) {
  const { operation, transaction, explorer, cluster } = detail
  const { amount, cost } = operation
  return (
    <TwoColumns
      wide={
        <>
          <Card title="Details">
            <Facts
              facts={{
                Wallet: operation.user_pubkey && (
                  <Wallet what="wallet" address={operation.user_pubkey} people={detail.people} />
                ),
                From: operation.from_pubkey && (
                  <Wallet what="from" address={operation.from_pubkey} people={detail.people} />
                ),
                To: operation.to_pubkey && <Wallet what="to" address={operation.to_pubkey} people={detail.people} />,
                Amount: `${grouped(amount)} ${symbol}`,
                "Requested by": detail.requested_by && <By {...detail.requested_by} />,
                "Lost wallet": operation.recovery_id && (
                  <To path={["recoveries", operation.recovery_id]}>Open the recovery</To>
                ),
                "Operation id": <Copyable value={operation.operation_id} what="operation id" compact />,
              }}
            />
          </Card>
          {isForced(operation.kind) && <Grounds of={operation} />}
          <Card
            title="Transaction"
            actions={transaction && <TransactionLink signature={transaction.signature} explorer={explorer} />}
          >
            {transaction ? (
              <Facts
                facts={{
                  Signature: <Copyable value={transaction.signature} what="transaction signature" compact />,
                  Network: cluster ?? "not known yet",
                  Slot: transaction.slot,
                  Carries: transaction.operations > 1 && `${transaction.operations} operations`,
                  "Network fee": cost && `${solOf(cost.fee_lamports)} SOL`,
                  "Account rent": cost && `${solOf(cost.rent_lamports)} SOL`,
                }}
              />
            ) : (
              <p className="text-muted">
                {operation.status === "failed" ? "No transaction was sent." : "Not signed yet."}
              </p>
            )}
          </Card>
        </>
      }
      narrow={
        <Card title="Timeline">
          <OperationSteps operation={operation} detail={detail} />
        </Card>
      }
    />
  )
}

type WalletProps = { what: string; address: string; people: OperationDetail["people"] }

/** A wallet with the person behind it. A mint and a burn have one, transfers two. */
function Wallet({ what, address, people }: WalletProps) {
  const person = people.find(({ wallet }) => wallet === address)
  return (
    <>
      {person && (
        <span className="block font-medium">
          <InvestorLink investor={person} />
        </span>
      )}
      <Copyable value={address} what={`${what} address`} compact />
    </>
  )
}

/** A member, or a key with its request in the log. */
const By = ({ kind, name, request_id }: NonNullable<OperationDetail["requested_by"]>) => (
  <span className="wrap-anywhere">
    {kind === "key" ? `API key ${name}` : name}
    {kind === "key" && request_id && (
      <>
        {", "}
        <To path={["logs", request_id]}>
          see the request
          <span className="sr-only"> {request_id} in the log</span>
        </To>
      </>
    )}
  </span>
)
