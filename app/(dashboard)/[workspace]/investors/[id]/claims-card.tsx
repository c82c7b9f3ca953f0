import { ClaimList } from "#app/(dashboard)/claim-list.tsx"
import { type RouterOutputs, useMutation } from "#app/(dashboard)/workspace.tsx"
import { FormError } from "#app/components/form.tsx"
import { Card } from "#app/components/frame.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { type Claims, contradictions, claims as definitions } from "#shared/claims.ts"

type InvestorView = RouterOutputs["investor"]["view"]
type Known = RouterOutputs["investor"]["viewClaims"]["data"]

type ClaimsCardProps = {
  investor: Pick<InvestorView, "investor_id" | "has_claims">
  /** An open review that claims were sent for, to show and compare them too. */
  review?: { review_id: string; wallet: string | null } | null
}

/** What providers reported. Read only on request, because each view is an entry in the audit log. */
export function ClaimsCard({ investor: { investor_id, has_claims }, review = null }: ClaimsCardProps) {
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
      {look.data ? (
        <Reported {...look.data} wallet={review?.wallet ?? null} />
      ) : (
        <p className="text-muted">{hasAny ? "Hidden until you ask for them." : "None are stored."}</p>
      )}
    </Card>
  )
}

type ReportedProps = {
  known: Known
  sent: Claims | null
  /** Of the review. */
  wallet: string | null
}

function Reported({ known, sent, wallet }: ReportedProps) {
  if (known.length === 0 && sent === null) return <p className="text-muted">None are stored.</p>
  const differing = contradictions([...known.map(({ claims }) => claims), ...(sent ? [sent] : [])])
  return (
    <>
      {differing.length > 0 && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-notice">
          These verifications contradict each other: {differing.map((name) => definitions[name].label).join(", ")}. Find
          out which is right, and {sent ? "reject or revoke" : "revoke"} the others.
        </p>
      )}
      <ClaimList known={known} sent={sent && { claims: sent, wallet }} differing={differing} />
    </>
  )
}
