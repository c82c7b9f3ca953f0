"use client"

import { useParams } from "next/navigation.js"
import { OperationSteps } from "#app/(dashboard)/[workspace]/tokens/[config]/operation-steps.tsx"
import {
  type OperationDetail,
  operationName,
  useOperation,
  useToken,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { TransactionLink } from "#app/(dashboard)/transaction-drawer.tsx"
import { To } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts, Failed, Loading, PageHeader } from "#app/components/frame.tsx"
import { grouped, solOf } from "#shared/amount.ts"
import { isForced } from "#shared/movements.ts"
import { Grounds } from "./grounds.tsx"

export default function Page() {
  const { config, id } = useParams<{ config: string; id: string }>()
  const { data, error, refetch } = useOperation(id)
  const symbol = useToken(config).data?.symbol ?? ""
  if (data) return <Operation detail={data} symbol={symbol} />
  return (
    <>
      <PageHeader title="Operation" />
      {error ? <Failed error={error} onRetry={refetch} /> : <Loading what="Loading the operation" lines={8} />}
    </>
  )
}

function Operation({ detail, symbol }: { detail: OperationDetail; symbol: string }) {
  const { operation, transaction, explorer, cluster } = detail
  const { kind, amount, mint_config } = operation
  return (
    <>
      <PageHeader
        title={`${operationName(operation)} of ${grouped(amount)} ${symbol}`.trim()}
        heading={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {`${operationName(operation)} of ${grouped(amount)} ${symbol}`}
            <StatusBadge status={operation.status} />
          </span>
        }
        description={
          <To path={["tokens", mint_config]} className="underline underline-offset-4">
            {mint_config}
          </To>
        }
      />
      <div className="grid gap-5 md:grid-cols-2">
        <Card title="Timeline">
          <OperationSteps operation={operation} detail={detail} />
        </Card>
        <div className="space-y-5">
          <Card title="Details">
            <Facts
              facts={{
                Operation: <Copyable value={operation.operation_id} what="operation id" compact />,
                Wallet: walletOf("wallet", operation.user_pubkey),
                From: walletOf("from", operation.from_pubkey),
                To: walletOf("to", operation.to_pubkey),
                Amount: `${grouped(amount)} ${symbol}`,
                "Lost wallet": operation.recovery_id && (
                  <To path={["recoveries", operation.recovery_id]}>Open the recovery</To>
                ),
                "Network fee": operation.cost && `${solOf(operation.cost.fee_lamports)} SOL`,
                "Account rent": operation.cost && `${solOf(operation.cost.rent_lamports)} SOL`,
              }}
            />
          </Card>
          {isForced(kind) && <Grounds of={operation} />}
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
                }}
              />
            ) : (
              <p className="text-muted">
                {operation.status === "failed" ? "No transaction was sent." : "Not signed yet."}
              </p>
            )}
          </Card>
        </div>
      </div>
    </>
  )
}

/** A mint and a burn have one wallet, transfers two. */
const walletOf = (role: string, address: string | null | undefined) =>
  address && <Copyable value={address} what={`${role} address`} compact />
