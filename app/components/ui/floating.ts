"use client"

import {
  createContext,
  type RefObject,
  type ToggleEvent,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from "react"

// The browser's own popovers: they lie above everything, close by Escape and by a click beside them, and give the focus
// back. All that is left to do is to put them in their place; libraries for that weigh as much as the rest of a page.

const GAP_PX = 4
const EDGE_PX = 8

export type Align = "start" | "center" | "end"

/** Below its anchor, or above where there is more room; never out of the window. */
export function placeBeside(anchor: Element, floating: HTMLElement, align: Align): void {
  const box = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = floating
  const fitsBelow = box.bottom + GAP_PX + height <= window.innerHeight - EDGE_PX
  const isBelow = fitsBelow || box.top < window.innerHeight - box.bottom
  const top = isBelow ? box.bottom + GAP_PX : Math.max(EDGE_PX, box.top - GAP_PX - height)
  const wanted = { start: box.left, center: box.left + (box.width - width) / 2, end: box.right - width }[
    align
  ]
  const last = document.documentElement.clientWidth - width - EDGE_PX
  floating.style.top = `${top}px`
  floating.style.left = `${Math.max(EDGE_PX, Math.min(wanted, last))}px`
}

/** Every popover's: without them it would stand in the middle of the window. */
export const placedLook = "fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] overflow-y-auto"

type Anchored = { id: string; anchor: RefObject<HTMLButtonElement | null> }

export const AnchoredContext = createContext<Anchored | null>(null)

export function useAnchored(): Anchored {
  const anchor = useRef<HTMLButtonElement>(null)
  const id = useId()
  return { id, anchor }
}

export function useAnchor(): Anchored {
  const anchored = use(AnchoredContext)
  if (!anchored) throw new Error("A popover's parts stand inside of it")
  return anchored
}

/** What a popover's element needs to open at its anchor and to stay there. */
export function usePlaced(align: Align, onOpen?: (popover: HTMLElement) => void) {
  const { id, anchor } = useAnchor()
  const ref = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const place = () => {
      if (anchor.current && ref.current) placeBeside(anchor.current, ref.current, align)
    }
    window.addEventListener("scroll", place, true)
    window.addEventListener("resize", place)
    return () => {
      window.removeEventListener("scroll", place, true)
      window.removeEventListener("resize", place)
    }
  }, [isOpen, align, anchor])

  function onBeforeToggle(event: ToggleEvent<HTMLDivElement>) {
    const opens = event.newState === "open"
    setOpen(opens)
    if (!opens) return
    // It has no size before it is shown, and is not painted before this.
    requestAnimationFrame(() => {
      if (!anchor.current || !ref.current) return
      placeBeside(anchor.current, ref.current, align)
      onOpen?.(ref.current)
    })
  }
  return { ref, id, isOpen, popover: "auto" as const, onBeforeToggle }
}
