"use client"

import { OperationSteps } from "#app/(dashboard)/[workspace]/tokens/[config]/operation-steps.tsx"
import { kindNames, useOperation } from "#app/(dashboard)/[workspace]/tokens/[config]/use-operation.ts"
import { useToken } from "#app/(dashboard)/[workspace]/tokens/[config]/use-token.ts"
import type { OperationDetail } from "#app/(dashboard)/[workspace]/tokens/answers.ts"
import { TransactionLink } from "#app/(dashboard)/transaction-drawer.tsx"
import { usePath } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/copyable.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Failed, Loading } from "#app/components/states.tsx"
import { StatusBadge } from "#app/components/status-badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { grouped } from "#shared/amount.ts"

/** One mint or transfer: its states, and the transaction that carries it. */
export function OperationPage({ config, id }: { config: string; id: string }) {
  const { data, error, refetch } = useOperation(id)
  const symbol = useToken(config).data?.symbol ?? ""
  if (data) return <Operation detail={data} symbol={symbol} />
  return (
    <>
      <PageHeader title="Operation" />
      {error ? (
        <Failed error={error} onRetry={refetch} />
      ) : (
        <Loading what="Loading the operation" lines={8} />
      )}
    </>
  )
}

function Operation({ detail, symbol }: { detail: OperationDetail; symbol: string }) {
  const path = usePath()
  const { operation, transaction, explorer, cluster } = detail
  const { kind, amount, mint_config } = operation
  return (
    <>
      <PageHeader
        title={`${kindNames[kind]} of ${grouped(amount)} ${symbol}`.trim()}
        heading={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {`${kindNames[kind]} of ${grouped(amount)} ${symbol}`}
            <StatusBadge status={operation.status} />
          </span>
        }
        description={
          <Link href={path("tokens", mint_config)} prefetch={false} className="underline underline-offset-4">
            {mint_config}
          </Link>
        }
      />
      <div className="grid gap-5 md:grid-cols-2">
        <Card title="Timeline">
          <OperationSteps operation={operation} detail={detail} />
        </Card>
        <div className="space-y-5">
          <Card title="Details">
            <dl className={facts}>
              <dt className="text-muted">Operation</dt>
              <dd>
                <Copyable value={operation.operation_id} what="operation id" compact />
              </dd>
              {kind === "mint" ? (
                <Wallet name="Wallet" address={operation.user_pubkey!} />
              ) : (
                <>
                  <Wallet name="From" address={operation.from_pubkey!} />
                  <Wallet name="To" address={operation.to_pubkey!} />
                </>
              )}
              <dt className="text-muted">Amount</dt>
              <dd>
                {grouped(amount)} {symbol}
              </dd>
            </dl>
          </Card>
          <Card
            title="Transaction"
            actions={transaction && <TransactionLink signature={transaction.signature} explorer={explorer} />}
          >
            {transaction ? (
              <dl className={facts}>
                <dt className="text-muted">Signature</dt>
                <dd>
                  <Copyable value={transaction.signature} what="transaction signature" compact />
                </dd>
                <dt className="text-muted">Network</dt>
                <dd>{cluster ?? "not known yet"}</dd>
                {transaction.slot !== null && (
                  <>
                    <dt className="text-muted">Slot</dt>
                    <dd>{transaction.slot}</dd>
                  </>
                )}
                {transaction.operations > 1 && (
                  <>
                    <dt className="text-muted">Carries</dt>
                    <dd>{transaction.operations} operations</dd>
                  </>
                )}
              </dl>
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

const facts = "grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2"

function Wallet({ name, address }: { name: string; address: string }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd>
        <Copyable value={address} what={`${name.toLowerCase()} address`} compact />
      </dd>
    </>
  )
}
