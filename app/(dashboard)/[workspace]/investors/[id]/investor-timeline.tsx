import { useState } from "react"
import { operationName } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Moment, Timeline } from "#app/(dashboard)/detail-page.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"

type InvestorView = RouterOutputs["investor"]["view"]
type Event = InvestorView["timeline"][number]

const copy = {
  first_seen: "First seen",
  started: "verification started",
  consented: "consent given by the investor",
  approved: "approved by the provider",
  rejected: "rejected",
  verified: "verified, credential issued on chain",
  revoked: "revoked",
  expired: "expired",
  superseded: "replaced by a renewal",
  wallet_added: "Another wallet added",
  erased: "Personal data erased",
  frozen: "Wallet frozen",
  unfrozen: "Wallet unfrozen",
  reported_lost: "Wallet reported as lost",
  no_longer_lost: "Report of the lost wallet taken back",
} as const satisfies Record<Exclude<Event["event"], "moved">, string>

const SHOWN = 10

const dots: Partial<Record<Event["event"], string>> = {
  frozen: "bg-danger",
  reported_lost: "bg-danger",
  verified: "bg-accent",
  rejected: "bg-danger",
  revoked: "bg-danger",
}

export function InvestorTimeline({ investor: { timeline, has_earlier, wallets } }: { investor: InvestorView }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? timeline : timeline.slice(0, SHOWN)
  return (
    <>
      <Timeline className="space-y-4">
        {shown.map((event) => (
          <Moment
            key={`${event.event} ${event.at} ${event.attestation_id ?? event.operation?.operation_id} ${event.user_pubkey}`}
            dot={dots[event.event]}
            what={<What of={event} wallets={wallets} />}
            at={event.at}
            more={
              wallets.length > 1 &&
              event.user_pubkey && (
                <>
                  {" · "}
                  <Shortened value={event.user_pubkey} />
                </>
              )
            }
          >
            {event.reason && <p className="text-[13px] wrap-anywhere">{event.reason}</p>}
          </Moment>
        ))}
      </Timeline>
      {shown.length < timeline.length && (
        <Button size="sm" className="mt-4" onClick={() => setWhole(true)}>
          Show all {timeline.length} events
        </Button>
      )}
      {has_earlier && shown.length === timeline.length && (
        <p className="mt-4 text-[13px] text-muted">Earlier verifications and operations are in the lists below.</p>
      )}
    </>
  )
}

type WhatProps = { of: Event; wallets: InvestorView["wallets"] }

const link = "rounded-sm underline-offset-2 wrap-anywhere hover:underline"

/** What happened. A verification is named by its schema, and a movement by its amount. */
function What({ of, wallets }: WhatProps) {
  const { event, attestation_id, schema, operation, recovery_id, symbol } = of
  if (operation !== null) return <Movement of={operation} wallets={wallets} />
  // Only a movement has an operation.
  if (event === "moved") return null
  if (recovery_id !== null) {
    return (
      <To path={["recoveries", recovery_id]} className={link}>
        {copy[event]}
      </To>
    )
  }
  if (attestation_id === null || schema === null || event === "wallet_added")
    return `${copy[event]}${symbol === null ? "" : ` for ${symbol}`}`
  return (
    <>
      <To path={["attestations", attestation_id]} className={link}>
        <SchemaName id={schema} />
      </To>
      : {copy[event]}
    </>
  )
}

/** An operation. Between wallets of the same person, it is neither sent nor received. */
function Movement({ of, wallets }: { of: NonNullable<Event["operation"]>; wallets: InvestorView["wallets"] }) {
  const { operation_id, mint_config, amount, symbol, from_pubkey, to_pubkey } = of
  const isOwn = (wallet: string | undefined) => wallets.some(({ user_pubkey }) => user_pubkey === wallet)
  const way = isOwn(from_pubkey) === isOwn(to_pubkey) ? "" : isOwn(from_pubkey) ? ", sent" : ", received"
  return (
    <To path={["tokens", mint_config, "operations", operation_id]} className={link}>
      {operationName(of)} of {grouped(amount)} {symbol}
      {way}
    </To>
  )
}
