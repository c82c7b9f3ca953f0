"use client"

import * as Primitive from "radix-ui/dialog"
import type { ComponentProps, ReactNode } from "react"
import { cn } from "../cn.ts"
import { CloseButton } from "./dialog.tsx"
import { overlayLook } from "./overlay.ts"

export const Sheet = Primitive.Root
export const SheetTrigger = Primitive.Trigger
export const SheetClose = Primitive.Close

const sides = {
  left: "left-0 border-r motion-safe:data-[state=open]:slide-in-from-left",
  right: "right-0 border-l motion-safe:data-[state=open]:slide-in-from-right",
} as const

/** A dialog at the screen's edge, for what is long: a menu, a transaction. */
export function SheetContent({
  side = "right",
  title,
  description,
  className,
  children,
  ...props
}: Omit<ComponentProps<typeof Primitive.Content>, "title"> & {
  side?: keyof typeof sides
  title: ReactNode
  description?: ReactNode
}) {
  return (
    <Primitive.Portal>
      <Primitive.Overlay className={overlayLook} />
      <Primitive.Content
        {...(!description && { "aria-describedby": undefined })}
        {...props}
        className={cn(
          "fixed inset-y-0 z-50 w-[min(32rem,calc(100vw-2.5rem))] overflow-y-auto border-line bg-surface p-5 text-sm leading-normal shadow-card outline-none motion-safe:data-[state=open]:animate-in",
          sides[side],
          className,
        )}
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
