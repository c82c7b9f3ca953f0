import { useRouter } from "next/navigation.js"
import { useFilters } from "#app/(dashboard)/filters.tsx"
import { KeyHint, usePageKeys } from "#app/(dashboard)/page-keys.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Link } from "#app/components/link.tsx"
import { notifyFailure } from "#app/components/toast.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { addressOf, askedOf, queueFilters } from "../queue-filters.ts"

/** The path of a case, which keeps the filters of the address. */
export function useCasePath(): (id: string) => string {
  const { current } = useFilters(queueFilters)
  const path = usePath()
  return (id) => path("reviews", id) + addressOf(current)
}

/** Where to go from a review, among those that match the filters in the address. */
export function useNeighbours(review_id: string) {
  const { asked, isFiltered } = useFilters(queueFilters)
  const casePath = useCasePath()
  const { data } = useQuery("review.neighbours", { review_id, ...askedOf(asked) })
  const pathTo = (id: string | null) => id && casePath(id)
  return data && { left: data.left, next: pathTo(data.next), previous: pathTo(data.previous), isFiltered }
}

/** The reviews before and after this one in the queue, also by J and K. */
export function Neighbours({ reviewId }: { reviewId: string }) {
  const to = useNeighbours(reviewId)
  const router = useRouter()
  const go = (href: string | null | undefined) => () => {
    if (href && !isWriting()) router.push(href)
  }
  usePageKeys({ j: go(to?.next), k: go(to?.previous) })
  return (
    <nav aria-label="Queue" className="flex items-center gap-2">
      <Step name="Previous" pressed="k" href={to?.previous} />
      <Step name="Next" pressed="j" href={to?.next} />
    </nav>
  )
}

type StepProps = { name: string; pressed: string; href: string | null | undefined }

/** Keeps its place while it loads, and at the end of the queue. */
const Step = ({ name, pressed, href }: StepProps) =>
  href ? (
    <Link
      href={href}
      prefetch={false}
      aria-keyshortcuts={pressed}
      onClick={(event) => isWriting() && event.preventDefault()}
      className={buttonLook({ size: "sm" })}
    >
      {name}
      <KeyHint of={pressed} />
    </Link>
  ) : (
    <Button size="sm" disabled>
      {name}
      <KeyHint of={pressed} />
    </Button>
  )

/** Whether the page has text that was not sent. */
export const hasDraft = (): boolean =>
  [...document.querySelectorAll<HTMLTextAreaElement>("main textarea")].some(({ value }) => value.trim() !== "")

/** The same, and says so. */
export function isWriting(): boolean {
  const isAny = hasDraft()
  if (isAny) notifyFailure("You have not sent what you wrote. Send it or clear it first.")
  return isAny
}
