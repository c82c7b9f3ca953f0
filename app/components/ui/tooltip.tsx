"use client"

import { Slot } from "radix-ui/slot"
import { type ReactElement, type ReactNode, type Ref, useId, useRef } from "react"
import { placeBeside, placedLook } from "./floating.ts"

/** A word more about a control, on hover and on focus. It never says what is needed: a touch does not show it. */
export function Tooltip({ content, children }: { content: ReactNode; children: ReactElement }) {
  const id = useId()
  const anchor = useRef<HTMLElement>(null)
  const tip = useRef<HTMLSpanElement>(null)

  function show() {
    if (!anchor.current || !tip.current || tip.current.matches(":popover-open")) return
    tip.current.showPopover()
    placeBeside(anchor.current, tip.current, "center")
  }
  const hide = () => tip.current?.hidePopover()

  return (
    <>
      <Slot
        ref={anchor as Ref<HTMLElement>}
        aria-describedby={id}
        onMouseEnter={show}
        onMouseLeave={hide}
        onFocus={show}
        onBlur={hide}
        onKeyDown={(event) => event.key === "Escape" && hide()}
      >
        {children}
      </Slot>
      <span
        ref={tip}
        id={id}
        role="tooltip"
        popover="manual"
        className={`${placedLook} max-w-72 rounded-md bg-ink px-2.5 py-1.5 text-xs leading-normal text-surface`}
      >
        {content}
      </span>
    </>
  )
}
