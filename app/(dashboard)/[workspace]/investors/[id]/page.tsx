"use client"

import { Coins, Eraser } from "lucide-react"
import { useParams } from "next/navigation.js"
import { lazy, Suspense, useState } from "react"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { UrlTabs } from "#app/(dashboard)/tabs.tsx"
import { type RouterOutputs, usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { grouped } from "#shared/amount.ts"
import { shownName } from "#shared/visible.ts"
import { Holdings } from "./holdings.tsx"
import { InvestorTimeline } from "./investor-timeline.tsx"
import { OpenReviews } from "./open-reviews.tsx"
import { UnverifiedNotice } from "./unverified-notice.tsx"
import { Wallets } from "./wallets.tsx"

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
        badge: <Standing investor={investor} />,
        description: <Summary investor={investor} />,
        actions: !investor.erased_at && <Actions investor={investor} />,
      })}
    >
      {(investor) => (
        <div className="space-y-4">
          <UnverifiedNotice investor={investor} />
          {mayReview && reviews.data && <OpenReviews reviews={reviews.data} />}
          <Person key={investor.investor_id} investor={investor} />
        </div>
      )}
    </DetailPage>
  )
}

/** The statuses of the current verifications of all wallets. */
function Standing({ investor: { wallets, erased_at } }: { investor: InvestorView }) {
  if (erased_at) return <Badge>Erased</Badge>
  const statuses = new Set(wallets.flatMap(({ states }) => states.map(({ status }) => status)))
  return [...statuses].map((status) => <StatusBadge key={status} status={status} />)
}

/** What the person holds in all wallets, since when they are known, and their id. */
function Summary({ investor: { investor_id, first_seen_at, erased_at, tokens } }: { investor: InvestorView }) {
  const held = tokens.map(({ total, symbol }) => `${grouped(total)} ${symbol}`).join(", ")
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>{held ? `Holds ${held}` : "Holds no tokens"}</span>
      <span>
        First seen <Timestamp at={first_seen_at} />
      </span>
      {erased_at && (
        <span>
          Data erased <Timestamp at={erased_at} />
        </span>
      )}
      <Copyable value={investor_id} what="investor id" compact />
    </span>
  )
}

// Loaded on first use.
const Erase = lazy(async () => ({ default: (await import("./erase.tsx")).Erase }))
const MintTo = lazy(() => import("./mint-to.tsx"))

/** Starting a session for the person, and what is rarely done. */
function Actions({ investor }: { investor: InvestorView }) {
  const { can } = useWorkspace()
  const path = usePath()
  const [isErasing, setErasing] = useState(false)
  const [isMinting, setMinting] = useState(false)
  const wallet = investor.wallets.find(({ bar }) => bar === null)?.user_pubkey
  const mayMint = can("token:mint") && wallet !== undefined
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
      {(mayMint || can("investor:erase")) && (
        <MoreMenu>
          {mayMint && (
            <MenuItem onSelect={() => setMinting(true)} aria-haspopup="dialog">
              <Coins aria-hidden="true" />
              Mint…
            </MenuItem>
          )}
          {can("investor:erase") && (
            <MenuItem danger onSelect={() => setErasing(true)} aria-haspopup="dialog">
              <Eraser aria-hidden="true" />
              Erase data
            </MenuItem>
          )}
        </MoreMenu>
      )}
      {isMinting && (
        <Suspense>
          <MintTo investor={investor} onClose={() => setMinting(false)} />
        </Suspense>
      )}
      {isErasing && (
        <Suspense>
          <Erase investor={investor} onClose={() => setErasing(false)} />
        </Suspense>
      )}
    </>
  )
}

// Requested before the page's data, which takes longer, so that nothing moves when it arrives.
const early = <Module,>(load: () => Promise<Module>) => {
  const module = typeof window === "undefined" ? null : load()
  return () => module ?? load()
}
const loadNotes = early(() => import("./notes.tsx"))
const loadClaims = early(() => import("./claims-card.tsx"))
const Notes = lazy(async () => ({ default: (await loadNotes()).Notes }))
const ClaimsCard = lazy(async () => ({ default: (await loadClaims()).ClaimsCard }))

// Few investors are erased.
const VendorRedactions = lazy(async () => ({ default: (await import("./erase.tsx")).VendorRedactions }))

function Person({ investor }: { investor: InvestorView }) {
  const { can } = useWorkspace()
  return (
    <div className="space-y-4">
      <TwoColumns
        wide={
          <>
            <Card title="Wallets" description="Each with its status for every schema. A schema is one kind of check.">
              <Wallets investor={investor} />
            </Card>
            <Card title="Tokens held">
              <Holdings investor={investor} />
            </Card>
            {can("claims:read") && (
              <Suspense>
                <ClaimsCard investor={investor} />
                <Notes investorId={investor.investor_id} isErased={investor.erased_at !== null} />
              </Suspense>
            )}
          </>
        }
        narrow={
          <>
            {investor.erased_at && can("investor:erase") && (
              <Suspense>
                <VendorRedactions investorId={investor.investor_id} />
              </Suspense>
            )}
            <Card title="Timeline">
              <InvestorTimeline investor={investor} />
            </Card>
          </>
        }
      />
      <Activity investor={investor} />
    </div>
  )
}

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
