"use client"

import * as Primitive from "radix-ui/tooltip"
import type { ReactNode } from "react"

export const TooltipProvider = Primitive.Provider

/** A word more about a control, on hover and on focus. It never says what is needed: a touch does not show it. */
export function Tooltip({ content, children }: { content: ReactNode; children: ReactNode }) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 rounded-md bg-ink px-2.5 py-1.5 text-xs leading-normal text-surface motion-safe:animate-in motion-safe:fade-in-0"
        >
          {content}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}
