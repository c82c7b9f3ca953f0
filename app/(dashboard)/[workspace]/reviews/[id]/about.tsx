import { useId } from "react"
import { To, useMe, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/frame.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Select } from "#app/components/ui/input.tsx"
import { findings } from "#shared/reviews.ts"
import { headlineOf, type Review } from "./review.ts"

export function About({ review }: { review: Review }) {
  const { wallet, opened_at, session_open_until, attestations, review_id } = review
  const removed = review.lists.filter(({ in_use }) => !in_use)
  return (
    <>
      <Facts
        facts={{
          // Reviews of the other kinds have one finding, which the page's heading already says.
          Found:
            review.kind === "signal" && headlineOf(review) !== findings[review.finding] && findings[review.finding],
          Details: review.said !== null && headlineOf(review) !== review.said && (
            <span className="wrap-anywhere">{review.said}</span>
          ),
          Lists: review.lists.length > 0 && <Lists of={review.lists} />,
          Wallet: wallet && <Copyable value={wallet} what="wallet" compact />,
          Country: review.country_unknown && (
            <span className="text-notice">
              Unknown: the vendor’s code is not a known country, so country rules refuse the wallet unless you enter
              one.
            </span>
          ),
          "Review id": <Copyable value={review_id} what="review id" compact />,
          Opened: <Timestamp at={opened_at} />,
          "Session closes": session_open_until && <Timestamp at={session_open_until} />,
          "Assigned to": <Assignee review={review} />,
        }}
      />
      {removed.length > 0 && (
        <p className="mt-4 text-[13px] text-notice">
          {removed.map(({ name }) => name).join(", ")}: no longer in use. Mints and transfers of this wallet are not
          refused for it
          {removed.some(({ frozen }) => frozen) ? ", but its tokens stay frozen until you decide." : "."}
        </p>
      )}
      {attestations.length > 0 && (
        <ul aria-label="Verifications" className="mt-4 -mb-2.5 divide-y divide-line border-t border-line">
          {attestations.map(({ attestation_id, schema, status, provider, provider_page, started_at, wallet: of }) => (
            <li key={attestation_id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
              <span className="min-w-0">
                <To path={["attestations", attestation_id]} className="font-medium text-accent hover:underline">
                  {schema}
                </To>
                {wallet === null && (
                  <span className="block text-muted">
                    <Shortened value={of} />
                  </span>
                )}
                <span className="block text-[13px] text-muted">
                  Checked by {provider}, started <Timestamp at={started_at} />
                </span>
                {provider_page && (
                  <NewTab href={provider_page} className="text-[13px] text-accent hover:underline">
                    Open at {provider}
                  </NewTab>
                )}
              </span>
              <StatusBadge status={status} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const Lists = ({ of }: { of: Review["lists"] }) => (
  <ul>
    {of.map(({ name, in_use, frozen }) => (
      <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
        {name}
        {!in_use && <Badge tone="notice">No longer in use</Badge>}
        {frozen && <Badge>Frozen</Badge>}
      </li>
    ))}
  </ul>
)

/** Who the review is assigned to. Members who decide reviews can take it or assign it to each other. */
function Assignee({ review: { review_id, assignee, state } }: { review: Review }) {
  const id = useId()
  const { data: me } = useMe()
  const reviewers = useQuery("review.reviewers", {})
  const assign = useMutation((api, to: string | null) => api.review.assign.mutate({ review_id, assignee: to }))
  if (state === "closed") return <>{assignee?.name ?? "No one"}</>
  const people = reviewers.data?.data ?? []
  // A member who may no longer decide stays named until another member takes it.
  const isGone = assignee !== null && !people.some(({ user_id }) => user_id === assignee.id)
  return (
    <span className="flex flex-wrap items-center gap-2">
      <label htmlFor={id} className="sr-only">
        Assigned to
      </label>
      <Select
        id={id}
        className="w-64 max-w-full"
        value={assignee?.id ?? ""}
        disabled={assign.isPending}
        onChange={({ target }) => assign.mutate(target.value || null)}
        options={people.map(
          ({ user_id, name }) => [user_id, user_id === me?.user.id ? `${name} (you)` : name] as const,
        )}
      >
        <option value="">No one</option>
        {isGone && <option value={assignee.id}>{assignee.name}</option>}
      </Select>
      {me && assignee?.id !== me.user.id && (
        <Button size="sm" pending={assign.isPending} onClick={() => assign.mutate(me.user.id)}>
          Assign to me
        </Button>
      )}
    </span>
  )
}
