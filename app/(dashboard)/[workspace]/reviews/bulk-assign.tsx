import { useId, useState } from "react"
import { type RouterOutputs, To, useMe, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { Selection } from "#app/components/selection.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Select } from "#app/components/ui/input.tsx"
import { MOST_ASSIGNED_TOGETHER } from "#shared/bulk.ts"
import { countOf } from "#shared/counts.ts"

type Review = RouterOutputs["review"]["list"]["data"][number]

const NO_ONE = ""

/** Assigns the selected reviews. Floats over the end of the list, so that no row moves. */
export function BulkAssign({ selection }: { selection: Selection<Review> }) {
  const { chosen, change, nameOf } = selection
  const id = useId()
  const { data: me } = useMe()
  const mine = me?.user.id
  const reviewers = useQuery("review.reviewers", {}, { enabled: chosen.size > 0 })
  const [picked, setPicked] = useState<string | null>(null)
  const [missed, setMissed] = useState<readonly Review[]>([])
  const assign = useMutation((api, input: { review_ids: string[]; assignee: string | null }) =>
    api.review.assignMany.mutate(input),
  )
  const to = picked ?? mine
  const others = (reviewers.data?.data ?? []).filter(({ user_id }) => user_id !== mine)
  const isTooMany = chosen.size > MOST_ASSIGNED_TOGETHER

  function start(assignee: string | null) {
    assign.mutate({ review_ids: [...chosen.keys()], assignee }, ({ assigned, closed }) => {
      setMissed(closed.flatMap((id) => chosen.get(id) ?? []))
      change(new Map())
      const name = assignee === mine ? "you" : others.find(({ user_id }) => user_id === assignee)?.name
      if (assigned > 0) notify(`${countOf(assigned, "review")} assigned to ${name ?? "no one"}`)
    })
  }
  if (chosen.size === 0) return <Missed reviews={missed} nameOf={nameOf} onDismiss={() => setMissed([])} />
  return (
    <section aria-label="Selected reviews" className={floating}>
      <p role="status" className="text-sm font-medium tabular-nums">
        {chosen.size} selected
        {isTooMany && <span className="ml-2 font-normal text-danger">{MOST_ASSIGNED_TOGETHER} at most at a time</span>}
      </p>
      <label htmlFor={id} className="text-[13px] text-muted">
        Assign to
      </label>
      <Select
        id={id}
        className="w-44 max-sm:flex-1"
        value={to ?? NO_ONE}
        onChange={({ target }) => setPicked(target.value)}
        options={[
          ...(mine ? [[mine, "Me"] as const] : []),
          ...others.map(({ user_id, name }) => [user_id, name] as const),
          [NO_ONE, "No one"],
        ]}
      />
      <Button
        variant="primary"
        size="sm"
        disabled={isTooMany || to === undefined}
        pending={assign.isPending}
        onClick={() => start(to || null)}
      >
        Assign
      </Button>
      <Button variant="ghost" size="sm" onClick={() => change(new Map())}>
        Clear selection
      </Button>
    </section>
  )
}

const floating =
  "sticky bottom-3 z-10 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line bg-surface py-2 pr-2 pl-4 shadow-card"

type MissedProps = { reviews: readonly Review[]; nameOf: (review: Review) => string; onDismiss: () => void }

/** Names the reviews that others closed before they could be assigned. */
const Missed = ({ reviews, nameOf, onDismiss }: MissedProps) => (
  <div role="status">
    {reviews.length > 0 && (
      <div className={floating}>
        <p className="min-w-0 text-sm">
          Not assigned, because {reviews.length === 1 ? "it was" : "they were"} closed in the meantime:{" "}
          {reviews.map((review, n) => (
            <span key={review.review_id} className="wrap-anywhere">
              {n > 0 && ", "}
              <To path={["reviews", review.review_id]} className="rounded-sm text-accent underline">
                {nameOf(review)}
              </To>
            </span>
          ))}
        </p>
        <Button variant="ghost" size="sm" onClick={onDismiss}>
          Dismiss
        </Button>
      </div>
    )}
  </div>
)
