import { useEffect, useRef, useState } from "react"
import { usePageKeys } from "#app/(dashboard)/page-keys.ts"
import { useMe, useMutation, usePath } from "#app/(dashboard)/workspace.tsx"
import { Form, SelectField, Submit } from "#app/components/form.tsx"
import { Facts } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { type ClaimName, type Claims, claimNames, claims } from "#shared/claims.ts"
import { countryNames } from "#shared/countries.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { type ReviewDecision, reviewDecisions } from "#shared/reviews.ts"
import { publicReasonCopy, ReasonFields, reasonsIn } from "../../attestations/reason-fields.tsx"
import { clearing, type Review } from "./review.ts"

/** What each decision does, shown before the member decides. */
const consequences = {
  approve: "The wallet is verified, and its credential is issued on chain within seconds.",
  request_resubmission: "The investor is asked to submit again. The review closes.",
  reject: "The session closes and nothing is issued on chain. It no longer counts against your quota.",
  keep_rejected: "The verification stays rejected. The review closes.",
  clear: "The person’s verifications stay unchanged. The review closes.",
  revoke:
    "All verifications that this review is about end: open sessions close, and credentials are destroyed on chain within seconds. You cannot undo this.",
} as const satisfies Record<ReviewDecision, string>

function consequenceOf(review: Review, decision: ReviewDecision): string {
  if (review.kind === "screening" && decision === "clear") return clearing(review)
  if (review.kind === "limit")
    return "The investor keeps all tokens. Mints and transfers to them stay refused while they are above the limit. The review closes."
  if (review.kind === "reversal" && decision === "approve")
    return "The rejected verification stays unchanged. A new one is approved for the wallet, its credential is issued on chain within seconds, and it counts against this month’s quota."
  return consequences[decision]
}

const defaults: Partial<Record<ReviewDecision, PublicReason>> = { request_resubmission: "resubmit" }

/** Its keys: the first decision for the person, and the first against. */
const agreeing: readonly ReviewDecision[] = ["approve", "clear"]
const refusing: readonly ReviewDecision[] = ["reject", "revoke", "keep_rejected"]

export function Decision({ review }: { review: Review }) {
  const [chosen, setChosen] = useState<ReviewDecision | null>(null)
  const open = review.state === "requested" ? [] : review.decisions
  const choose = (among: readonly ReviewDecision[]) => () => {
    const decision = open.find((one) => among.includes(one))
    if (decision) setChosen(decision)
  }
  usePageKeys({ a: choose(agreeing), r: choose(refusing) })
  if (review.state === "requested") return <Requested review={review} />
  if (open.length === 0) return <p className="text-muted">The session has closed: nothing is left to decide.</p>
  return (
    <>
      {review.approvals_needed > 0 && (
        <p className="mb-3 text-muted">Your decision takes effect once {others(review)} approved it.</p>
      )}
      <fieldset aria-label="Decision" className="flex flex-wrap gap-2">
        {open.map((decision) => (
          <Button
            key={decision}
            variant={chosen === null && agreeing.includes(decision) ? "primary" : "outline"}
            aria-pressed={chosen === decision}
            aria-keyshortcuts={keyOf(open, decision)}
            title={keyOf(open, decision)?.toUpperCase()}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => setChosen(chosen === decision ? null : decision)}
          >
            {reviewDecisions[decision].label}
          </Button>
        ))}
      </fieldset>
      {chosen !== null && open.includes(chosen) && <Decide review={review} decision={chosen} />}
    </>
  )
}

function keyOf(open: readonly ReviewDecision[], decision: ReviewDecision): string | undefined {
  if (open.find((one) => agreeing.includes(one)) === decision) return "a"
  return open.find((one) => refusing.includes(one)) === decision ? "r" : undefined
}

const others = ({ approvals_needed: needed }: Review): string =>
  needed === 1 ? "another member has" : `${needed} other members have`

const isGrave = (decision: ReviewDecision): boolean => decision === "reject" || decision === "revoke"

/** The reason, below the decision and beside the evidence. It stays when another decision is chosen. */
function Decide({ review, decision }: { review: Review; decision: ReviewDecision }) {
  const { review_id, version } = review
  const needsApproval = review.approvals_needed > 0
  const { label, past, showsReason } = reviewDecisions[decision]
  const place = useRef<HTMLDivElement>(null)
  const decide = useMutation((api, values: FormData) =>
    api.review.decide.mutate({
      review_id,
      version,
      decision,
      ...reasonsIn(values),
      claims: decision === "approve" ? claimsOf(values) : null,
    }),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when another decision is chosen
  useEffect(() => place.current?.querySelector("textarea")?.focus(), [decision])
  return (
    <div ref={place} className="mt-4 border-t border-line pt-4">
      <Form
        onSubmit={async (values) => {
          await decide.mutateAsync(values)
          notify(needsApproval ? "Approval requested" : past)
        }}
      >
        <p className="text-[13px] text-muted">
          {consequenceOf(review, decision)}
          {needsApproval && ` It happens once ${others(review)} approved it.`}
        </p>
        <ReasonFields
          publicReason={showsReason ? (defaults[decision] ?? "unverifiable") : null}
          hint={
            isGrave(decision)
              ? "Visible to your team and your API keys, never to the investor."
              : "Visible to people who decide reviews, never to the investor."
          }
        />
        {decision === "approve" && <ApprovalClaims review={review} />}
        <Submit variant={isGrave(decision) ? "danger" : "primary"}>{needsApproval ? "Ask for approval" : label}</Submit>
      </Form>
    </div>
  )
}

/** A decision that waits. Members approve or reject it on the approval's page, where its requester withdraws it. */
function Requested({ review }: { review: Review }) {
  const { decision, reason, public_reason, requested_by, approval_id, moments } = review
  const { data: me } = useMe()
  const path = usePath()
  if (decision === null) return null
  const isOwn = requested_by?.id === me?.user.id
  const asked = moments.findLast(({ event }) => event === "review.requested")
  return (
    <>
      <p className="mb-3">
        {isOwn
          ? "You asked for this decision. Another member must approve it."
          : `${requested_by?.name ?? "A former member"} asked for this decision.`}
      </p>
      <Facts
        facts={{
          Decision: reviewDecisions[decision].label,
          Requested: asked && <Timestamp at={asked.at} />,
          "Internal reason": reason,
          "Reason shown to the investor": public_reason && publicReasonCopy[public_reason],
          Claims: decision === "approve" && <ShownClaims review={review} />,
        }}
      />
      {approval_id && (
        <Link href={path("approvals", approval_id)} prefetch={false} className={buttonLook({ className: "mt-4" })}>
          Open the request
        </Link>
      )}
    </>
  )
}

const labelOf = (name: ClaimName): string => {
  const { label } = claims[name]
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** Marks in the form that its fields are the claims for the approval. */
const ENTERED = "claims_entered"

/** The entered claims. Null keeps what the vendor sent. */
function claimsOf(values: FormData): Claims | null {
  if (!values.has(ENTERED)) return null
  const country = String(values.get("claims.country") ?? "")
  const flag = (name: ClaimName) => {
    const value = values.get(`claims.${name}`)
    return value === "yes" ? true : value === "no" ? false : undefined
  }
  const age_over_18 = flag("age_over_18")
  const accredited = flag("accredited")
  return {
    ...(country && { country }),
    ...(age_over_18 !== undefined && { age_over_18 }),
    ...(accredited !== undefined && { accredited }),
  }
}

/** Reads the claims on request only, because each view is an entry in the audit log. */
const useClaims = (review_id: string) => useMutation((api) => api.review.viewClaims.mutate({ review_id }))

/** The claims for an approval: the vendor's, unless the member views and changes them. */
function ApprovalClaims({ review: { review_id, has_claims } }: { review: Review }) {
  const [sent, setSent] = useState<Claims | null>(has_claims ? null : {})
  const view = useClaims(review_id)
  if (sent === null) {
    return (
      <div>
        <p className="mb-1.5 text-[13px] font-medium">Claims</p>
        <p className="mb-2 text-[13px] text-muted">
          The approval uses the claims that the vendor sent. Viewing them is recorded in the audit log.
        </p>
        <Button size="sm" pending={view.isPending} onClick={() => view.mutate(undefined, setSent)}>
          View and change claims
        </Button>
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <input type="hidden" name={ENTERED} value="yes" />
      <SelectField
        name="claims.country"
        label="Country"
        hint={
          sent.unknown_country === undefined
            ? "Claims decide which tokens the wallet can hold. Leave out what you have not checked."
            : `The vendor reported ${sent.unknown_country}, which is not a known country. Country rules refuse the wallet unless you choose one.`
        }
        defaultValue={sent.country ?? ""}
        options={countryNames("en").map(({ code, name }) => [code, name] as const)}
      >
        <option value="">Not known</option>
      </SelectField>
      {claimNames
        .filter((name) => claims[name].kind === "flag")
        .map((name) => (
          <SelectField key={name} name={`claims.${name}`} label={labelOf(name)} defaultValue={wordOf(sent[name])}>
            <option value="">Not known</option>
            <option value="yes">Yes</option>
            <option value="no">No</option>
          </SelectField>
        ))}
    </div>
  )
}

const wordOf = (value: Claims[ClaimName]): string => (value === true ? "yes" : value === false ? "no" : "")

/** The claims of a decision that waits, shown on request. */
function ShownClaims({ review: { review_id } }: { review: Review }) {
  const view = useClaims(review_id)
  if (view.data === undefined) {
    return (
      <Button size="sm" pending={view.isPending} onClick={() => view.mutate()}>
        View claims
      </Button>
    )
  }
  const known = claimNames.filter((name) => view.data[name] !== undefined)
  const { unknown_country } = view.data
  if (known.length === 0 && unknown_country === undefined) return <>None</>
  return (
    <ul>
      {unknown_country !== undefined && <li>Country: unknown, the vendor reported {unknown_country}</li>}
      {known.map((name) => {
        const value = view.data[name]
        return (
          <li key={name}>
            {labelOf(name)}: {typeof value === "boolean" ? (value ? "yes" : "no") : value}
          </li>
        )
      })}
    </ul>
  )
}
