"use client"

import type { ComponentProps, ReactNode } from "react"
import { cn } from "#app/components/cn.ts"
import { Modal, ModalClose, ModalContent, ModalTrigger } from "./modal.tsx"
import { dialogLook } from "./overlay.ts"

export const AlertDialog = Modal
export const AlertDialogTrigger = ModalTrigger
export const AlertDialogCancel = ModalClose

/** A question that has to be answered: a click beside it does not close it. */
export function AlertDialogContent({
  className,
  ...props
}: ComponentProps<typeof ModalContent> & { description: ReactNode }) {
  return (
    <ModalContent role="alertdialog" insists {...props} className={cn(dialogLook, "max-w-md", className)} />
  )
}
