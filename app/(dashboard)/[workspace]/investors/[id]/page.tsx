"use client"

import { Ellipsis, Eraser } from "lucide-react"
import { useParams } from "next/navigation.js"
import { lazy, type ReactNode, Suspense, useId, useState } from "react"
import { ReviewBadge } from "#app/(dashboard)/[workspace]/reviews/review-badge.tsx"
import { FreezeButton } from "#app/(dashboard)/[workspace]/tokens/freeze-button.tsx"
import { useHoldActions } from "#app/(dashboard)/[workspace]/tokens/hold-actions.tsx"
import { useServicing } from "#app/(dashboard)/[workspace]/tokens/servicing-menu.tsx"
import { DetailPage, Moment, Timeline, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { FreezeNote, LostNote } from "#app/(dashboard)/freeze-note.tsx"
import { HeldNote } from "#app/(dashboard)/held-note.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { UrlTabs } from "#app/(dashboard)/tabs.tsx"
import { type RouterOutputs, To, usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Menu, MenuItem } from "#app/components/ui/menu.tsx"
import { grouped } from "#shared/amount.ts"
import { reviewKinds } from "#shared/reviews.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { shownName } from "#shared/visible.ts"
import { ClaimsCard } from "./claims-card.tsx"
import { Erase, Notes, VendorRedactions } from "./personal-data.tsx"
import { ReportLostButton } from "./report-lost-button.tsx"

type InvestorView = RouterOutputs["investor"]["view"]

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const { can } = useWorkspace()
  const view = useQuery("investor.view", { id })
  const mayReview = can("review:write")
  const reviews = useQuery("review.list", { investor: id }, { enabled: mayReview })
  const notes = useQuery("investor.notes", { id }, { enabled: can("claims:read") })
  // Read together, so that neither the reviews at the top nor the notes push other parts down later.
  const query = { ...view, data: reviews.isLoading || notes.isLoading ? undefined : view.data }
  return (
    <DetailPage
      up={[["investors"], "Investors"]}
      name="Investor"
      query={query}
      head={(investor) => ({
        heading: investor.external_id === null ? "Investor" : shownName(investor.external_id),
        badge: investor.erased_at && <Badge>Erased</Badge>,
        actions: !investor.erased_at && <Actions investor={investor} />,
      })}
    >
      {(investor) => (
        <div className="space-y-4">
          {mayReview && reviews.data && <OpenReviews reviews={reviews.data} />}
          <Person
            key={investor.investor_id}
            investor={investor}
            hasNotes={notes.data !== undefined && notes.data.data.length > 0}
          />
        </div>
      )}
    </DetailPage>
  )
}

/** Starting a session for the person, and what is rarely done. */
function Actions({ investor }: { investor: InvestorView }) {
  const { can } = useWorkspace()
  const path = usePath()
  const [isErasing, setErasing] = useState(false)
  const wallet = investor.wallets.find(({ bar }) => bar === null)?.user_pubkey
  const session = new URLSearchParams({
    ...(wallet ? { wallet } : { form: "start" }),
    ...(investor.external_id !== null && { external_id: investor.external_id }),
  })
  return (
    <>
      {can("kyc:write") && (
        <Link href={`${path("sessions")}?${session}`} prefetch={false} className={buttonLook({ variant: "primary" })}>
          Start session
        </Link>
      )}
      {can("investor:erase") && (
        <Menu
          trigger={
            <Button variant="ghost" size="icon" aria-label="More actions">
              <Ellipsis aria-hidden="true" />
            </Button>
          }
        >
          <MenuItem danger onSelect={() => setErasing(true)} aria-haspopup="dialog">
            <Eraser aria-hidden="true" />
            Erase data
          </MenuItem>
        </Menu>
      )}
      {isErasing && <Erase investor={investor} onClose={() => setErasing(false)} />}
    </>
  )
}

function Person({ investor, hasNotes }: { investor: InvestorView; hasNotes: boolean }) {
  const { can } = useWorkspace()
  // As it was when the page opened: the first note must not move the form in which it was written.
  const [notesFirst] = useState(hasNotes)
  const notes = can("claims:read") && <Notes investorId={investor.investor_id} isErased={investor.erased_at !== null} />
  return (
    <div className="space-y-4">
      <TwoColumns
        wide={
          <>
            <Card title="About">
              <About investor={investor} />
            </Card>
            <Card title="Wallets" description="Each with its status for every schema. A schema is one kind of check.">
              <Wallets investor={investor} />
            </Card>
            <Card title="Tokens held">
              <Holdings investor={investor} />
            </Card>
            {can("claims:read") && <ClaimsCard investor={investor} />}
          </>
        }
        narrow={
          <>
            {investor.erased_at && can("investor:erase") && <VendorRedactions investorId={investor.investor_id} />}
            {notesFirst && notes}
            <Card title="Timeline">
              <InvestorTimeline investor={investor} />
            </Card>
            {!notesFirst && notes}
          </>
        }
      />
      <Activity investor={investor} />
    </div>
  )
}

const About = ({ investor }: { investor: InvestorView }) => (
  <Facts
    facts={{
      "Investor id": <Copyable value={investor.investor_id} what="investor id" compact />,
      "First seen": <Timestamp at={investor.first_seen_at} />,
      "Data erased": investor.erased_at && <Timestamp at={investor.erased_at} />,
    }}
  />
)

const Verifications = lazy(async () => ({ default: (await import("./lists.tsx")).Verifications }))
const InvestorOperations = lazy(async () => ({ default: (await import("./lists.tsx")).InvestorOperations }))
const Refusals = lazy(async () => ({ default: (await import("./lists.tsx")).Refusals }))

const Recoveries = lazy(async () => ({ default: (await import("./lists.tsx")).Recoveries }))

const Activity = ({ investor: { investor_id: investorId, has_recoveries } }: { investor: InvestorView }) => (
  <UrlTabs
    name="tab"
    label="Activity"
    tabs={{
      verifications: ["Verifications", <Verifications key="verifications" investorId={investorId} />],
      operations: ["Operations", <InvestorOperations key="operations" investorId={investorId} />],
      refusals: ["Refusals", <Refusals key="refusals" investorId={investorId} />],
      ...(has_recoveries && {
        recoveries: ["Recoveries", <Recoveries key="recoveries" investorId={investorId} />] as const,
      }),
    }}
  />
)

type Reviews = RouterOutputs["review"]["list"]

/** The reviews of an investor that wait for a decision. Shows nothing if none do. */
function OpenReviews({ reviews: { data, next_cursor } }: { reviews: Reviews }) {
  const id = useId()
  if (data.length === 0) return null
  const counted = `${data.length}${next_cursor === null ? "" : "+"}`
  return (
    <section
      aria-labelledby={id}
      className="flex gap-2.5 rounded-xl border border-notice-line bg-notice-soft p-4 text-notice"
    >
      <Icon name="alert" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0">
        <h2 id={id} className="font-semibold">
          {counted === "1" ? "1 review waits for a decision" : `${counted} reviews wait for a decision`}
        </h2>
        <ul className="mt-1.5 space-y-1">
          {data.map((review) => (
            <li key={review.review_id} className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-[13px]">
              <To path={["reviews", review.review_id]} className="rounded-sm font-medium underline underline-offset-2">
                {reviewKinds[review.kind].label}
              </To>
              {review.wallet && <Shortened value={review.wallet} />}
              <span>
                opened <Ago at={review.opened_at} />
              </span>
              {review.state === "requested" && <ReviewBadge review={review} />}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function Wallets({ investor }: { investor: InvestorView }) {
  const { wallets, has_more_wallets } = investor
  if (wallets.length === 0) {
    return (
      <Empty title="No wallets" className="py-6!">
        The wallets of this investor now belong to other investors. Past verifications are listed below.
      </Empty>
    )
  }
  return (
    <>
      <ul className="-my-3 divide-y divide-line">
        {wallets.map(({ user_pubkey, freezes, bar, states }) => (
          <li key={user_pubkey} className="py-3">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
              <Copyable value={user_pubkey} what="wallet" compact />
              <span className="ml-auto flex flex-wrap justify-end gap-2">
                {bar === null && <ReportLostButton wallet={user_pubkey} investor={investor} />}
                <FreezeButton of={{ wallet: user_pubkey, investor, freezes, mint_config: null }} />
              </span>
            </div>
            <LostNote bar={bar} />
            <FreezeNote freezes={freezes} />
            <ul className="mt-1.5 space-y-1.5">
              {states.map(({ schema, status, attestation_id, expires_at }) => (
                <li key={schema} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
                  <To
                    path={["attestations", attestation_id]}
                    className="rounded-sm wrap-anywhere underline-offset-2 hover:underline"
                  >
                    <SchemaName id={schema} />
                    <span className="sr-only">, open the verification</span>
                  </To>
                  <StatusBadge status={status} />
                  {status === "verified" && expires_at && (
                    <span className="text-muted">
                      until <Timestamp at={expires_at} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {has_more_wallets && (
        <p className="mt-4 text-[13px] text-muted">The newest {wallets.length} wallets are shown.</p>
      )}
    </>
  )
}

type Holding = InvestorView["tokens"][number]["wallets"][number]

function Holdings({ investor }: { investor: InvestorView }) {
  const { tokens, chain_answered } = investor
  const { menuOf, sheet } = useServicing()
  const holds = useHoldActions()
  return (
    <>
      {sheet}
      {holds.sheet}
      {!chain_answered && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          The chain is unreachable, so account states are not shown.
        </p>
      )}
      {tokens.length === 0 ? (
        <p className="text-muted">No tokens held.</p>
      ) : (
        <ul className="-my-3 divide-y divide-line">
          {tokens.map(({ mint_config, name, symbol, transfer_mode, total, wallets }) => (
            <li key={mint_config} className="py-3">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                <To
                  path={["tokens", mint_config]}
                  className="rounded-sm font-medium underline-offset-2 hover:underline"
                >
                  {name}
                </To>
                <span className="ml-auto font-medium tabular-nums">
                  {grouped(total)} {symbol}
                </span>
              </div>
              <ul className="mt-1.5 space-y-1">
                {wallets.map((holding) => (
                  <OfWallet
                    key={holding.user_pubkey}
                    holding={holding}
                    of={{ mint_config, symbol, transfer_mode }}
                    holdMenuOf={holds.menuOf}
                  >
                    {menuOf({
                      ...{ mint_config, symbol, wallet: holding.user_pubkey, investor },
                      freezes: holding.freezes,
                    })}
                  </OfWallet>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const WalletHolds = lazy(async () => ({
  default: (await import("#app/(dashboard)/[workspace]/tokens/[config]/hold-list.tsx")).WalletHolds,
}))

type OfWalletProps = {
  holding: Holding
  of: { mint_config: string; symbol: string; transfer_mode: TransferMode }
  holdMenuOf: ReturnType<typeof useHoldActions>["menuOf"]
  children: ReactNode
}

/** Accounts of tokens that only Vouch moves are always frozen, which says nothing about the wallet. */
function OfWallet({ holding, of, holdMenuOf, children }: OfWalletProps) {
  const { user_pubkey: wallet, balance, held, available, incoming, outgoing, account, freezes, bar } = holding
  const moving = [incoming !== "0" && `+${grouped(incoming)}`, outgoing !== "0" && `−${grouped(outgoing)}`].filter(
    Boolean,
  )
  return (
    <li className="text-[13px]">
      <div className="flex items-center justify-between gap-x-4">
        <span className="flex min-w-0 flex-col items-start gap-x-2 gap-y-1 sm:flex-row sm:flex-wrap sm:items-center">
          <Copyable value={wallet} what="wallet" compact />
          {account === "absent" ? (
            <Badge>No account yet</Badge>
          ) : (
            account && !(account === "frozen" && of.transfer_mode === "agent") && <StatusBadge status={account} />
          )}
          {bar && <Badge tone="notice">Lost</Badge>}
          <FreezeNote freezes={freezes} />
        </span>
        <span className="flex max-w-1/2 shrink-0 items-center gap-2 tabular-nums">
          <span className="text-right">
            {grouped(balance)}
            {moving.length > 0 && <span className="text-muted"> ({moving.join(", ")} on its way)</span>}
            <HeldNote of={{ ...of, wallet }} held={held} available={available} />
          </span>
          {children}
        </span>
      </div>
      {held !== "0" && (
        <Suspense>
          <WalletHolds of={{ ...of, wallet }} menuOf={holdMenuOf} />
        </Suspense>
      )}
    </li>
  )
}

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

const SHOWN = 8

const dots: Partial<Record<Event["event"], string>> = {
  verified: "bg-accent",
  rejected: "bg-danger",
  revoked: "bg-danger",
}

function InvestorTimeline({ investor: { timeline, has_earlier } }: { investor: InvestorView }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? timeline : timeline.slice(0, SHOWN)
  return (
    <>
      <Timeline className="space-y-4">
        {shown.map(({ event, at, attestation_id, user_pubkey, schema }) => (
          <Moment key={`${event} ${at} ${attestation_id}`} dot={dots[event]} what={copy[event]} at={at}>
            {attestation_id && user_pubkey && (
              <p className="flex flex-wrap items-baseline gap-x-2 text-[13px] text-muted">
                <To path={["attestations", attestation_id]} className="rounded-sm wrap-anywhere underline">
                  {schema && <SchemaName id={schema} />}
                </To>
                <Shortened value={user_pubkey} />
              </p>
            )}
          </Moment>
        ))}
      </Timeline>
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
