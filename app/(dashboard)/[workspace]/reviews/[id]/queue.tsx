import { useRouter } from "next/navigation.js"
import { useFilters } from "#app/(dashboard)/filters.tsx"
import { KeyHint, usePageKeys } from "#app/(dashboard)/page-keys.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Link } from "#app/components/link.tsx"
import { notifyFailure } from "#app/components/toast.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { addressOf, askedOf, queueFilters } from "../queue-filters.ts"

/** Where to go from a review, among those that match the filters in the address. */
function useNeighbours(review_id: string) {
  const { asked, current } = useFilters(queueFilters)
  const path = usePath()
  const { data } = useQuery("review.neighbours", { review_id, ...askedOf(asked) })
  const pathTo = (id: string | null) => id && path("reviews", id) + addressOf(current)
  return data && { left: data.left, next: pathTo(data.next), previous: pathTo(data.previous) }
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

/** Whether the page has text that was not sent, which is then said. */
function isWriting(): boolean {
  const fields = [...document.querySelectorAll<HTMLTextAreaElement>("main textarea")]
  const isAny = fields.some(({ value }) => value.trim() !== "")
  if (isAny) notifyFailure("You have not sent what you wrote. Send it or clear it first.")
  return isAny
}

/** Where to go on after a decision. It gets the focus that the form had, so that Enter opens it. */
export function NextCase({ reviewId }: { reviewId: string }) {
  const to = useNeighbours(reviewId)
  const path = usePath()
  if (!to) return null
  return (
    <p className="mt-4 flex flex-wrap items-center gap-3">
      {to.next ? (
        <Link ref={focus} href={to.next} prefetch={false} className={buttonLook({ variant: "primary" })}>
          Next case ({to.left === MOST_COUNTED ? `${to.left} or more` : to.left} left)
        </Link>
      ) : (
        <>
          <span className="text-muted">That was the last case.</span>
          <Link ref={focus} href={path("reviews")} prefetch={false} className={buttonLook()}>
            Back to the queue
          </Link>
        </>
      )}
    </p>
  )
}

/** The server counts no further. */
const MOST_COUNTED = 100

/** Unless the member is somewhere else on the page, such as in a note. */
function focus(link: HTMLAnchorElement | null): void {
  if (document.activeElement === document.body) link?.focus({ preventScroll: true })
}
