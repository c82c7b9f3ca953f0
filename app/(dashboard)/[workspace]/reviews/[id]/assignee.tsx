import { useId } from "react"
import { useMe, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Label, Select } from "#app/components/ui/input.tsx"
import type { Review } from "./review.ts"

/** Who the review is assigned to. Members who decide reviews can take it or assign it to each other. */
export function Assignee({ review: { review_id, assignee, state } }: { review: Review }) {
  const id = useId()
  const { data: me } = useMe()
  const reviewers = useQuery("review.reviewers", {})
  const assign = useMutation((api, to: string | null) => api.review.assign.mutate({ review_id, assignee: to }))
  if (state === "closed") return null
  const people = reviewers.data?.data ?? []
  // A member who may no longer decide stays named until another member takes it.
  const isGone = assignee !== null && !people.some(({ user_id }) => user_id === assignee.id)
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2 border-t border-line pt-4">
      <Label htmlFor={id}>Assigned to</Label>
      <Select
        id={id}
        className="min-w-32 flex-1"
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
    </div>
  )
}
