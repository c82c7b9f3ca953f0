"use client"

import { useParams } from "next/navigation.js"
import { parseAsStringLiteral, useQueryState } from "nuqs"
import { useEffect, useRef, useState } from "react"
import { type Doing, SessionDialogs } from "#app/(dashboard)/[workspace]/sessions/session-dialogs.tsx"
import { LastStep, SessionState } from "#app/(dashboard)/[workspace]/sessions/session-state.tsx"
import { DetailPage, Moment, Timeline, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { TransactionLink } from "#app/(dashboard)/transaction-drawer.tsx"
import { InvestorLink, To, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { FormError } from "#app/components/form.tsx"
import { Card, Facts } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { NewTab } from "#app/components/link.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { TimelineEvent } from "#domain/attestations"
import type { IconName } from "#shared/icons.ts"
import { publicReasonCopy } from "../reason-fields.tsx"
import { AttestationActions } from "./attestation-actions.tsx"
import type { Check } from "./checks.ts"
import { type Attestation, openSessionOf, SessionCard } from "./session-card.tsx"

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const query = useQuery("attestation.detail", { id })
  const session = useQuery("session.view", { id })
  const schemas = useQuery("schema.list", {})
  // A member who came from the sessions goes back to them.
  const [from] = useQueryState("from", parseAsStringLiteral(["sessions"]))
  const [doing, setDoing] = useState<Doing | null>(null)
  return (
    <>
      <DetailPage
        up={from === "sessions" ? [["sessions"], "Sessions"] : [["attestations"], "Attestations"]}
        name="Attestation"
        // Shown together, so that neither the name of the schema, in the heading, nor the session moves anything.
        query={schemas.isLoading || session.isLoading ? { ...query, data: undefined } : query}
        head={(attestation) => {
          const open = openSessionOf(attestation, session.data)
          return {
            heading: (
              <>
                {nameOf(attestation)}: <SchemaName id={attestation.schema} />
              </>
            ),
            badge: open ? <SessionState session={open} /> : <StatusBadge status={attestation.status} />,
            description: open && <LastStep session={open} />,
            actions: <AttestationActions attestation={attestation} session={session.data} act={setDoing} />,
          }
        }}
      >
        {(attestation) => {
          const open = openSessionOf(attestation, session.data)
          return (
            <TwoColumns
              wide={
                <>
                  <Card title="About">
                    <About attestation={attestation} hasOpenSession={open !== undefined} />
                  </Card>
                  {open && <SessionCard session={open} />}
                  <Proof attestation={attestation} />
                </>
              }
              narrow={
                <Card title="Timeline">
                  <AttestationTimeline events={attestation.timeline} />
                </Card>
              }
            />
          )
        }}
      </DetailPage>
      <SessionDialogs doing={doing} onClose={() => setDoing(null)} />
    </>
  )
}

function About({ attestation, hasOpenSession }: { attestation: Attestation; hasOpenSession: boolean }) {
  const { attestation_id, user_pubkey, schema, provider, started_at, issued_at, expires_at, review_id } = attestation
  return (
    <Facts
      facts={{
        Investor: <InvestorLink investor={attestation} />,
        Wallet: <Copyable value={user_pubkey} what="wallet" compact />,
        Schema: (
          <To path={["schemas", schema]}>
            <SchemaName id={schema} />
          </To>
        ),
        // The card of an open session names it.
        "Checked by": !hasOpenSession && provider,
        Country: attestation.country_unknown && (
          <span className="text-notice">
            Unknown: the provider’s code is not a known country, so country rules refuse this wallet.
          </span>
        ),
        Started: <Timestamp at={started_at} />,
        Issued: issued_at && (
          <>
            <Timestamp at={issued_at} />
            {issued_at < started_at && <span className="text-muted"> (date given by the provider)</span>}
          </>
        ),
        [attestation.status === "expired" ? "Expired" : "Expires"]: expires_at && <Timestamp at={expires_at} />,
        "Internal reason": attestation.revocation_reason,
        "Reason shown to the investor": attestation.public_reason && publicReasonCopy[attestation.public_reason],
        Session: attestation.session_id && !hasOpenSession && (
          <NewTab href={`/verify/${attestation.session_id}`} className="text-accent underline">
            Open hosted page
          </NewTab>
        ),
        Review: review_id && (
          <To path={["reviews", review_id]} className="text-accent underline underline-offset-2">
            {attestation.status === "pending" ? "Open review" : "See how it was decided"}
          </To>
        ),
        "Attestation id": <Copyable value={attestation_id} what="attestation id" compact />,
      }}
    />
  )
}

const copy = {
  started: "Session started",
  submitted: "Form submitted by the investor",
  consented: "Consent given by the investor",
  wallet_proved: "Wallet proved by the investor's signature",
  decided: "Decided by the provider",
  signed: "Transaction signed",
  confirmed: "Credential issued on chain, frozen",
  cancelled: "Session cancelled",
  revoked: "Revoked",
  expired: "Expired",
  superseded: "Replaced by a renewal",
  burnt: "Credential destroyed on chain",
} as const satisfies Record<TimelineEvent["event"], string>

const decisions: Record<string, string> = {
  approved: "Approved by the provider",
  rejected: "Rejected by the provider",
  in_review: "In review at the provider",
  resubmission_requested: "Resubmission requested by the provider",
  expired: "Expired at the provider",
}

/** What a member decided after the provider left the decision to your team. */
const manual: Record<string, string> = {
  approved: "Approved by a member",
  rejected: "Rejected by a member",
  resubmission_requested: "Resubmission requested by a member",
}

const wordsOf = ({ event, detail, by }: TimelineEvent): string =>
  (event === "decided" && detail !== null && (by === null ? decisions : manual)[detail]) || copy[event]

const dots: Partial<Record<TimelineEvent["event"], string>> = { confirmed: "bg-accent", revoked: "bg-danger" }

const AttestationTimeline = ({ events }: { events: readonly TimelineEvent[] }) => (
  <Timeline>
    {events.toReversed().map((event) => (
      <Moment
        key={`${event.event} ${event.at} ${event.detail}`}
        dot={dots[event.event]}
        what={wordsOf(event)}
        at={event.at}
        more={event.slot !== null && `, slot ${event.slot}`}
      >
        {event.event !== "decided" && event.detail && <p className="mt-0.5">{event.detail}</p>}
        <Trace event={event} />
      </Moment>
    ))}
  </Timeline>
)

/** Who did it, and by which request. Only requests of API keys are in the log. */
function Trace({ event: { by, request_id } }: { event: TimelineEvent }) {
  if (by === null && request_id === null) return null
  const who = by?.kind === "key" ? `API key ${by.name ?? ""}` : by?.name
  return (
    <p className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-[13px] text-muted">
      {who && <span>by {who}</span>}
      {request_id &&
        (by?.kind === "key" ? (
          <To path={["logs", request_id]} className="font-mono underline">
            <span className="sr-only">Request </span>
            {request_id}
          </To>
        ) : (
          <Copyable value={request_id} what="request id" compact />
        ))}
    </p>
  )
}

const stateWords = {
  held: "The wallet holds the credential, a frozen token that proves the verification.",
  removing: "The credential is being removed from the wallet.",
  destroyed: "The credential was destroyed: the wallet no longer holds it.",
  replaced: "Replaced by a renewal: the wallet holds the credential of a later attestation.",
  absent: "The wallet no longer holds the credential.",
} as const satisfies Record<NonNullable<Attestation["credential"]>["state"], string>

/** The facts on chain, which anyone who has the record can check. */
function Proof({ attestation }: { attestation: Attestation }) {
  const { onchain, onchain_tx, memo, slot, explorer, credential } = attestation
  if (onchain === null || onchain_tx === null || credential === null) {
    return (
      <Card title="On-chain proof">
        <p className="text-muted">
          {attestation.status === "pending"
            ? "Not on chain yet. After the provider's approval, the credential is issued to the wallet."
            : "Never issued on chain."}
        </p>
      </Card>
    )
  }
  const address = (value: string, what: string) => (
    <span className="flex flex-wrap items-center gap-x-3">
      <Copyable value={value} what={what} compact />
      {explorer && (
        <NewTab href={explorer.replace("{}", `address/${value}`)} className="text-[13px] text-accent underline">
          Explorer
          <span className="sr-only"> shows the {what}</span>
        </NewTab>
      )}
    </span>
  )
  return (
    <Card
      title="On-chain proof"
      description={`${stateWords[credential.state]} The chain holds nothing personal, only a fingerprint of the record.`}
      actions={<TransactionLink signature={onchain_tx} explorer={explorer} />}
    >
      <Facts
        facts={{
          Network: explorer === null ? `${onchain.cluster}, which has no public explorer` : onchain.cluster,
          Final: attestation.finalized_at ? (
            <Timestamp at={attestation.finalized_at} />
          ) : (
            <span className="text-muted">Final in a few seconds. Until then the chain could still undo it.</span>
          ),
        }}
      />
      <Verification id={attestation.attestation_id} />
      <details className="mt-4 border-t border-line pt-4">
        <summary className="cursor-pointer text-[13px] text-muted">All details</summary>
        <Facts
          className="mt-3"
          facts={{
            "Issued in": <Copyable value={onchain_tx} what="transaction signature" compact />,
            "Destroyed in": credential.state === "destroyed" && (
              <Copyable value={credential.transaction} what="destroying transaction's signature" compact />
            ),
            Slot: slot,
            Mint: address(onchain.mint, "credential's mint"),
            "Token account": address(onchain.token_account, "token account"),
            Authority: address(onchain.authority, "authority"),
            Program: address(onchain.program, "program"),
            Fingerprint: <Copyable value={onchain.commitment} what="fingerprint" compact />,
            Salt: onchain.salt ? (
              <Copyable value={onchain.salt} what="salt" compact />
            ) : (
              <span className="text-muted">Erased: the fingerprint can no longer be tied to a person.</span>
            ),
            Memo: memo && <Copyable value={memo} what="memo" compact />,
          }}
        />
      </details>
    </Card>
  )
}

const looks = {
  passed: { icon: "check", className: "text-accent", word: "Passed" },
  failed: { icon: "cross", className: "text-danger", word: "Failed" },
  open: { icon: "question", className: "text-muted", word: "Not checked" },
} as const satisfies Record<Check["result"], { icon: IconName; className: string; word: string }>

/** Reads the chain now and compares it with the record, in this browser. */
function Verification({ id }: { id: string }) {
  const outcome = useRef<HTMLParagraphElement>(null)
  const verify = useMutation(async (api, of: string) => {
    const [state, { checksOf }] = await Promise.all([
      api.attestation.verifyOnChain.query({ id: of }),
      import("./checks.ts"),
    ])
    return checksOf(state)
  })
  const checks = verify.data
  useEffect(() => {
    if (checks) outcome.current?.focus()
  }, [checks])
  return (
    <div className="mt-5 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-[13px] text-muted">Reads the chain now and recomputes the fingerprint in your browser.</p>
        <Button variant="primary" pending={verify.isPending} onClick={() => verify.mutate(id)}>
          Verify
        </Button>
      </div>
      {verify.error && (
        <div className="mt-3">
          <FormError problem={problemOf(verify.error)} />
        </div>
      )}
      {checks && (
        <div className="mt-4">
          <p ref={outcome} tabIndex={-1} className="font-medium">
            {conclusion(checks)}
          </p>
          <ul aria-label="Checks" className="mt-2 space-y-2">
            {checks.map(({ name, result, detail }) => {
              const { icon, className, word } = looks[result]
              return (
                <li key={name} className="flex gap-2.5">
                  <Icon name={icon} className={`mt-0.5 size-4 ${className}`} />
                  <span className="min-w-0">
                    <span className="sr-only">{word}: </span>
                    {name}
                    {detail && <span className="block text-[13px] break-all text-muted">{detail}</span>}
                  </span>
                </li>
              )
            })}
          </ul>
        </div>
      )}
    </div>
  )
}

function conclusion(checks: readonly Check[]): string {
  const failed = checks.filter(({ result }) => result === "failed").length
  if (failed > 0) return failed === 1 ? "One check failed." : `${failed} checks failed.`
  return checks.every(({ result }) => result === "passed")
    ? "Verified: all checks match."
    : "All checks that could run match."
}
