import { clsx } from "clsx"
import { useState } from "react"
import { usePath } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { InvestorView } from "./view.ts"

type Event = InvestorView["timeline"][number]

const copy = {
  first_seen: "First seen",
  started: "Verification started",
  consented: "Consent given by the investor",
  approved: "Approved by the provider",
  rejected: "Rejected",
  verified: "Verified: credential issued on chain",
  revoked: "Revoked",
  expired: "Expired",
  superseded: "Replaced by a renewal",
  wallet_added: "Another wallet added",
  erased: "Personal data erased",
} as const satisfies Record<Event["event"], string>

/** How many events are shown at first. */
const SHOWN = 8

const dots: Partial<Record<Event["event"], string>> = {
  verified: "bg-accent",
  rejected: "bg-danger",
  revoked: "bg-danger",
}

/** What happened with all of an investor's verifications, newest first. */
export function InvestorTimeline({ investor: { timeline, has_earlier } }: { investor: InvestorView }) {
  const path = usePath()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? timeline : timeline.slice(0, SHOWN)
  return (
    <>
      <ol className="space-y-4 border-l border-line pl-5">
        {shown.map(({ event, at, attestation_id, user_pubkey, schema }) => (
          <li key={`${event} ${at} ${attestation_id}`} className="relative">
            <span
              aria-hidden="true"
              className={clsx(
                "absolute top-1.5 -left-[1.5625rem] size-2 rounded-full ring-4 ring-surface",
                dots[event] ?? "bg-field",
              )}
            />
            <p className="font-medium">{copy[event]}</p>
            <p className="text-[13px] text-muted">
              <Timestamp at={at} />
            </p>
            {attestation_id && user_pubkey && (
              <p className="flex flex-wrap items-baseline gap-x-2 text-[13px] text-muted">
                <Link
                  href={path("attestations", attestation_id)}
                  prefetch={false}
                  className="rounded-sm wrap-anywhere underline"
                >
                  {schema}
                </Link>
                <Shortened value={user_pubkey} />
              </p>
            )}
          </li>
        ))}
      </ol>
      {shown.length < timeline.length && (
        <Button size="sm" className="mt-4" onClick={() => setWhole(true)}>
          Show all {timeline.length} events
        </Button>
      )}
      {has_earlier && shown.length === timeline.length && (
        <p className="mt-4 text-[13px] text-muted">Earlier verifications are listed below.</p>
      )}
    </>
  )
}
