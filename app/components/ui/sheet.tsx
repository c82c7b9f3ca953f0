"use client"

import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"
import { CloseButton } from "./dialog.tsx"
import { Modal, ModalClose, ModalContent, ModalTrigger } from "./modal.tsx"

export const Sheet = Modal
export const SheetTrigger = ModalTrigger
export const SheetClose = ModalClose

const sides = {
  left: "mr-auto border-r motion-safe:slide-in-from-left",
  right: "ml-auto border-l motion-safe:slide-in-from-right",
} as const

/** A dialog at the screen's edge, for what is long: a menu, a transaction. */
export function SheetContent({
  side = "right",
  className,
  children,
  ...props
}: ComponentProps<typeof ModalContent> & { side?: keyof typeof sides }) {
  return (
    <ModalContent
      {...props}
      className={cn(
        "m-0 h-dvh max-h-none w-[min(32rem,calc(100vw-2.5rem))] max-w-none overflow-y-auto border-line bg-surface p-5 text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none backdrop:bg-overlay motion-safe:animate-in",
        sides[side],
        className,
      )}
    >
      <div className="mt-4">{children}</div>
      <CloseButton />
    </ModalContent>
  )
}
