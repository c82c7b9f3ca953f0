import { useRouter } from "next/navigation.js"
import { useEffect, useEffectEvent, useState } from "react"
import { usePath } from "#app/(dashboard)/workspace.tsx"
import { Link } from "#app/components/link.tsx"
import { remember, remembered } from "#app/components/storage.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { Announced } from "./decided.tsx"
import { hasDraft, isWriting, useNeighbours } from "./queue.tsx"

type NextCaseProps = {
  reviewId: string
  /** Whether the next case opens automatically, which it does after the member's own decision. */
  opens: boolean
}

/** Where to go on after a decision. It gets the focus that the form had, so that Enter opens it. */
export function NextCase({ reviewId, opens }: NextCaseProps) {
  const to = useNeighbours(reviewId)
  const path = usePath()
  const next = to?.next ?? null
  const [isWanted, setWanted] = useState(opensNext)
  const [isStopped, setStopped] = useState(false)
  const isOpening = opens && isWanted && !isStopped && next !== null
  useOpening(isOpening ? next : null, () => setStopped(true))
  if (!to) return null
  if (next === null)
    return (
      <p className="mt-4 flex flex-wrap items-center gap-3">
        <span className="text-muted">
          {to.isFiltered ? "No more cases match your filter." : "That was the last case."}
        </span>
        <Link ref={focus} href={path("reviews")} prefetch={false} className={buttonLook()}>
          Back to the queue
        </Link>
      </p>
    )
  return (
    <div className="mt-4 space-y-3">
      <div className="flex flex-wrap items-center gap-3">
        <Link
          ref={focus}
          href={next}
          prefetch={false}
          onClick={(event) => isWriting() && event.preventDefault()}
          className={buttonLook({ variant: "primary", className: "relative overflow-hidden" })}
        >
          Next case ({to.left === MOST_COUNTED ? `${to.left} or more` : to.left} left)
          {isOpening && (
            <span
              key={next}
              aria-hidden="true"
              className="absolute inset-x-0 bottom-0 h-1 origin-left bg-accent-ink/70 motion-safe:animate-[drain_3s_linear_forwards]"
            />
          )}
        </Link>
        {isOpening && (
          <Button aria-keyshortcuts="Escape" onClick={() => setStopped(true)}>
            Stay here
          </Button>
        )}
      </div>
      {opens && (
        <>
          <Announced className="sr-only">
            {isOpening ? "Decided. The next case opens in 3 seconds. Press Escape to stay here." : "Decided."}
          </Announced>
          <Checkbox
            checked={isWanted}
            onChange={({ target }) => {
              setOpensNext(target.checked)
              setWanted(target.checked)
            }}
          >
            Open the next case automatically
          </Checkbox>
        </>
      )}
    </div>
  )
}

const OPENS_AFTER_MS = 3000

/** Opens a path after a moment. Escape stops it, and so does anything that shows that the member is still busy here. */
function useOpening(href: string | null, stop: () => void): void {
  const router = useRouter()
  const stopped = useEffectEvent(stop)
  useEffect(() => {
    if (href === null) return
    const timer = setTimeout(() => {
      if (hasDraft() || document.querySelector("dialog[open]")) stopped()
      else router.push(href)
    }, OPENS_AFTER_MS)
    const press = ({ key }: KeyboardEvent) => key === "Escape" && stopped()
    const enter = ({ target }: FocusEvent) => (target as Element).matches?.("textarea, select") && stopped()
    document.addEventListener("keydown", press)
    document.addEventListener("focusin", enter)
    return () => {
      clearTimeout(timer)
      document.removeEventListener("keydown", press)
      document.removeEventListener("focusin", enter)
    }
  }, [href, router])
}

const STAYS = "vouch.reviews-stay"
const opensNext = (): boolean => remembered(STAYS) === null
const setOpensNext = (on: boolean): void => remember(STAYS, on ? null : "1")

/** The server counts no further. */
const MOST_COUNTED = 100

/** Unless the member is somewhere else on the page, such as in a note. */
function focus(link: HTMLAnchorElement | null): void {
  if (document.activeElement === document.body) link?.focus({ preventScroll: true })
}
