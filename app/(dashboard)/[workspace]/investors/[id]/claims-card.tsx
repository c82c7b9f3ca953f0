import { lazy, Suspense } from "react"
import { type RouterOutputs, useMutation } from "#app/(dashboard)/workspace.tsx"
import { FormError } from "#app/components/form.tsx"
import { Card } from "#app/components/frame.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { type ClaimName, type Claims, claims as definitions } from "#shared/claims.ts"

// Loaded once they are shown.
const ClaimList = lazy(async () => ({ default: (await import("#app/(dashboard)/claim-list.tsx")).ClaimList }))

type InvestorView = RouterOutputs["investor"]["view"]
type ReviewView = RouterOutputs["review"]["get"]
type Known = RouterOutputs["investor"]["viewClaims"]["data"]

type ClaimsCardProps = {
  investor: Pick<InvestorView, "investor_id" | "has_claims" | "contradicting">
  /** An open review that claims were sent for, to show and compare them too. */
  review?: Pick<ReviewView, "review_id" | "wallet" | "contradicting"> | null
}

/**
 * What providers reported. Read only on request, because each view is an entry in the audit log. What was read is dropped
 * once it is no longer stored, for example after the person was erased.
 */
export const ClaimsCard = (props: ClaimsCardProps) => (
  <StoredClaims key={`${props.investor.has_claims} ${props.review?.review_id}`} {...props} />
)

function StoredClaims({ investor, review = null }: ClaimsCardProps) {
  const { investor_id, has_claims } = investor
  const { contradicting } = review ?? investor
  const look = useMutation(async (api) => {
    const [known, sent] = await Promise.all([
      has_claims ? api.investor.viewClaims.mutate({ id: investor_id }) : null,
      review && api.review.viewClaims.mutate({ review_id: review.review_id }),
    ])
    return { known: known?.data ?? [], sent }
  })
  const hasAny = has_claims || review !== null
  return (
    <Card
      title="Claims"
      description="What providers reported. Viewing them is recorded in the audit log."
      actions={
        hasAny &&
        !look.data && (
          <Button size="sm" pending={look.isPending} onClick={() => look.mutate()}>
            Show claims
          </Button>
        )
      }
    >
      {look.error && <FormError problem={problemOf(look.error)} />}
      {contradicting.length > 0 && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-notice">
          Verifications of this person contradict each other:{" "}
          {contradicting.map((name) => definitions[name].label).join(", ")}. Find out which is right, and{" "}
          {review ? "reject or revoke" : "revoke"} the others.
        </p>
      )}
      {look.data ? (
        <Reported {...look.data} wallet={review?.wallet ?? null} differing={contradicting} />
      ) : (
        !hasAny && <p className="text-muted">None are stored.</p>
      )}
    </Card>
  )
}

type ReportedProps = {
  known: Known
  sent: Claims | null
  /** Of the review. */
  wallet: string | null
  differing: readonly ClaimName[]
}

function Reported({ known, sent, wallet, differing }: ReportedProps) {
  if (known.length === 0 && sent === null) return <p className="text-muted">None are stored.</p>
  return (
    <Suspense>
      <ClaimList known={known} sent={sent && { claims: sent, wallet }} differing={differing} />
    </Suspense>
  )
}
