"use client"

import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"
import { useControl } from "./control.ts"

/** On or off, at once. It needs a `Field` around it or an `aria-label`. */
export function Switch({ className, ...props }: Omit<ComponentProps<"input">, "type" | "role">) {
  return (
    <span className={cn("relative inline-flex h-5 w-9 shrink-0", className)}>
      <input
        {...useControl()}
        {...props}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: the checkbox itself says whether it is on
        role="switch"
        className="peer h-5 w-9 cursor-pointer appearance-none rounded-full bg-field checked:bg-accent disabled:cursor-not-allowed disabled:opacity-60 motion-safe:transition-colors"
      />
      <span className="pointer-events-none absolute top-0.5 left-0.5 size-4 rounded-full bg-surface peer-checked:translate-x-4 motion-safe:transition-transform" />
    </span>
  )
}
