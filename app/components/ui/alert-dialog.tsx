"use client"

import * as Primitive from "radix-ui/alert-dialog"
import type { ComponentProps, ReactNode } from "react"
import { cn } from "../cn.ts"
import { dialogLook, overlayLook } from "./overlay.ts"

export const AlertDialog = Primitive.Root
export const AlertDialogTrigger = Primitive.Trigger
export const AlertDialogCancel = Primitive.Cancel
export const AlertDialogAction = Primitive.Action

/** A question that has to be answered: a click beside it does not close it. */
export function AlertDialogContent({
  title,
  description,
  className,
  children,
  ...props
}: Omit<ComponentProps<typeof Primitive.Content>, "title"> & { title: ReactNode; description: ReactNode }) {
  return (
    <Primitive.Portal>
      <Primitive.Overlay className={overlayLook} />
      <Primitive.Content {...props} className={cn(dialogLook, "max-w-md", className)}>
        <Primitive.Title className="text-base font-semibold">{title}</Primitive.Title>
        <Primitive.Description className="mt-1 text-muted">{description}</Primitive.Description>
        {children}
      </Primitive.Content>
    </Primitive.Portal>
  )
}
