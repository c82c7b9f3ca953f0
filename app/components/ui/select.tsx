"use client"

import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"
import { Icon } from "#app/components/icons.tsx"
import { controlLook, useControl } from "./control.ts"

/** The platform's own select, whose list every phone and screen reader knows. Its options are `<option>`s. */
export function Select({ className, ...props }: ComponentProps<"select">) {
  return (
    <div className={cn("relative", className)}>
      <select
        {...useControl()}
        {...props}
        className={cn(controlLook, "h-9 cursor-pointer appearance-none pr-8 pointer-coarse:h-11")}
      />
      <Icon
        name="chevron"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  )
}
