"use client"

import { Slot } from "radix-ui/slot"
import type { ComponentProps, ReactElement, ReactNode, Ref } from "react"
import { cn } from "#app/components/cn.ts"
import { type Align, AnchoredContext, placedLook, useAnchor, useAnchored, usePlaced } from "./floating.ts"
import { floatingLook } from "./overlay.ts"

export function Popover({ children }: { children: ReactNode }) {
  return <AnchoredContext value={useAnchored()}>{children}</AnchoredContext>
}

/** Its child is the button that opens and closes it. */
export function PopoverTrigger({
  children,
  haspopup = "dialog",
}: {
  children: ReactElement
  haspopup?: "dialog" | "menu"
}) {
  const { id, anchor } = useAnchor()
  const attributes = { popoverTarget: id, "aria-haspopup": haspopup }
  return (
    <Slot ref={anchor as Ref<HTMLElement>} {...attributes}>
      {children}
    </Slot>
  )
}

/** It is a dialog to a screen reader: give it an `aria-label`. */
export function PopoverContent({
  align = "start",
  className,
  ...props
}: ComponentProps<"div"> & { align?: Align }) {
  const { isOpen: _, ...placed } = usePlaced(align)
  return (
    <div
      role="dialog"
      {...props}
      {...placed}
      className={cn(floatingLook, placedLook, "w-80 max-w-[calc(100vw-1rem)] p-4", className)}
    />
  )
}
