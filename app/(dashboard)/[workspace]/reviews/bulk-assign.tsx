import { useId, useState } from "react"
import { type InputOf, type RouterOutputs, To, useMe, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { Selection } from "#app/components/selection.tsx"
import { isTooMany, LeftOut, SelectionBar } from "#app/components/selection-bar.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Select } from "#app/components/ui/input.tsx"
import { MOST_ASSIGNED_TOGETHER } from "#shared/bulk.ts"
import { countOf } from "#shared/counts.ts"

type Review = RouterOutputs["review"]["list"]["data"][number]

const NO_ONE = ""

type BulkAssignProps = {
  selection: Selection<Review>
  /** The filters of the queue, as the server takes them. */
  filter: InputOf<"review.matching">
  /** Whether every row of the page is selected and other pages match, too. */
  offersAll: boolean
}

/** Assigns the selected reviews. */
export function BulkAssign({ selection, filter, offersAll }: BulkAssignProps) {
  const { chosen, allMatching, change, nameOf } = selection
  const id = useId()
  const { data: me } = useMe()
  const mine = me?.user.id
  const reviewers = useQuery("review.reviewers", {}, { enabled: chosen.size > 0 })
  const matching = useQuery("review.matching", filter, { enabled: offersAll }).data
  // As the member saw it: the count is read again later, and other reviews are not theirs to assign.
  const [seen, setSeen] = useState<typeof matching>()
  const [picked, setPicked] = useState<string | null>(null)
  const [missed, setMissed] = useState<readonly Review[]>([])
  const assign = useMutation((api, input: { review_ids: string[]; assignee: string | null }) =>
    api.review.assignMany.mutate(input),
  )
  const assignAll = useMutation((api, input: InputOf<"review.assignMatching">) =>
    api.review.assignMatching.mutate(input),
  )
  const to = picked ?? mine
  const others = (reviewers.data?.data ?? []).filter(({ user_id }) => user_id !== mine)

  function start(assignee: string | null) {
    const name = assignee === mine ? "you" : others.find(({ user_id }) => user_id === assignee)?.name
    const done = (assigned: number, gone = 0) => {
      change(new Map())
      const rest = gone > 0 ? `. ${countOf(gone, "review")} had closed` : ""
      if (assigned + gone > 0) notify(`${countOf(assigned, "review")} assigned to ${name ?? "no one"}${rest}`)
    }
    if (allMatching !== null && seen?.rows) {
      assignAll.mutate({ filter, rows: seen.rows, assignee }, ({ assigned, gone }) => done(assigned, gone))
      return
    }
    assign.mutate({ review_ids: [...chosen.keys()], assignee }, ({ assigned, closed }) => {
      setMissed(closed.flatMap((id) => chosen.get(id) ?? []))
      done(assigned)
    })
  }
  if (chosen.size === 0)
    return (
      <LeftOut
        text={`Not assigned, because ${missed.length === 1 ? "it was" : "they were"} closed in the meantime:`}
        rows={missed.map((review) => ({
          key: review.review_id,
          content: (
            <To path={["reviews", review.review_id]} className="rounded-sm text-accent underline">
              {nameOf(review)}
            </To>
          ),
        }))}
        onDismiss={() => setMissed([])}
      />
    )
  return (
    <SelectionBar
      label="Selected reviews"
      selection={{
        ...selection,
        selectMatching: (...as) => {
          setSeen(matching)
          selection.selectMatching(...as)
        },
      }}
      matching={
        offersAll && matching
          ? { count: matching.count, isTooMany: matching.is_too_many, upTo: matching.up_to }
          : undefined
      }
      most={MOST_ASSIGNED_TOGETHER}
    >
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
        disabled={isTooMany(selection, MOST_ASSIGNED_TOGETHER) || to === undefined}
        pending={assign.isPending || assignAll.isPending}
        onClick={() => start(to || null)}
      >
        Assign
      </Button>
    </SelectionBar>
  )
}
