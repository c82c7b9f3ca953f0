"use client"

import { X } from "lucide-react"
import * as Primitive from "radix-ui/dialog"
import type { ComponentProps, ReactNode } from "react"
import { cn } from "../cn.ts"
import { Button } from "./button.tsx"
import { dialogLook, overlayLook } from "./overlay.ts"

export const Dialog = Primitive.Root
export const DialogTrigger = Primitive.Trigger
export const DialogClose = Primitive.Close

/** A dialog always has a title; what needs no description has none. */
export function DialogContent({
  title,
  description,
  className,
  children,
  ...props
}: Omit<ComponentProps<typeof Primitive.Content>, "title"> & { title: ReactNode; description?: ReactNode }) {
  return (
    <Primitive.Portal>
      <Primitive.Overlay className={overlayLook} />
      <Primitive.Content
        {...(!description && { "aria-describedby": undefined })}
        {...props}
        className={cn(dialogLook, className)}
      >
        <Primitive.Title className="pr-8 text-base font-semibold">{title}</Primitive.Title>
        {description && (
          <Primitive.Description className="mt-1 text-muted">{description}</Primitive.Description>
        )}
        <div className="mt-4">{children}</div>
        <CloseButton />
      </Primitive.Content>
    </Primitive.Portal>
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

export function CloseButton() {
  return (
    <Primitive.Close asChild>
      <Button variant="ghost" size="icon-sm" aria-label="Close" className="absolute top-3 right-3 text-muted">
        <X />
      </Button>
    </Primitive.Close>
  )
}
