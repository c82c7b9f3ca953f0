"use client"

import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "./button.tsx"
import { Modal, ModalClose, ModalContent, ModalTrigger } from "./modal.tsx"
import { dialogLook } from "./overlay.ts"

export const Dialog = Modal
export const DialogTrigger = ModalTrigger
export const DialogClose = ModalClose

/** A dialog always has a title; what needs no description has none. */
export function DialogContent({ className, children, ...props }: ComponentProps<typeof ModalContent>) {
  return (
    <ModalContent {...props} className={cn(dialogLook, className)}>
      <div className="mt-4">{children}</div>
      <CloseButton />
    </ModalContent>
  )
}

/** The row of buttons at a dialog's end: the one that goes on stands last. */
export function DialogFooter({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      className={cn("mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end", className)}
      {...props}
    />
  )
}

/** Stands last, so that the focus begins with what the dialog is about. */
export function CloseButton() {
  return (
    <ModalClose>
      <Button variant="ghost" size="icon-sm" aria-label="Close" className="absolute top-3 right-3 text-muted">
        <Icon name="cross" />
      </Button>
    </ModalClose>
  )
}
