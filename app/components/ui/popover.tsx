"use client"

import * as Primitive from "radix-ui/popover"
import type { ComponentProps } from "react"
import { cn } from "../cn.ts"
import { floatingLook } from "./overlay.ts"

export const Popover = Primitive.Root
export const PopoverTrigger = Primitive.Trigger
export const PopoverClose = Primitive.Close

/** It is a dialog to a screen reader: give it an `aria-label`. */
export function PopoverContent({ className, ...props }: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal>
      <Primitive.Content
        sideOffset={6}
        align="start"
        collisionPadding={8}
        {...props}
        className={cn(floatingLook, "w-80 max-w-[calc(100vw-1rem)] p-4", className)}
      />
    </Primitive.Portal>
  )
}
