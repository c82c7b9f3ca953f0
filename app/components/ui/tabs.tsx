"use client"

import * as Primitive from "radix-ui/tabs"
import type { ComponentProps } from "react"
import { cn } from "../cn.ts"

export const Tabs = Primitive.Root

export function TabsList({ className, ...props }: ComponentProps<typeof Primitive.List>) {
  return (
    <Primitive.List
      {...props}
      className={cn("flex gap-5 overflow-x-auto border-b border-line px-0.5", className)}
    />
  )
}

export function TabsTrigger({ className, ...props }: ComponentProps<typeof Primitive.Trigger>) {
  return (
    <Primitive.Trigger
      {...props}
      className={cn(
        "-mb-px cursor-pointer border-b-2 border-transparent py-2 text-sm font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:py-3",
        className,
      )}
    />
  )
}

export function TabsContent({ className, ...props }: ComponentProps<typeof Primitive.Content>) {
  return <Primitive.Content {...props} className={cn("mt-5", className)} />
}
