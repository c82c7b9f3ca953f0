import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"

/** The place of something that is still on its way. Silent: what waits says so itself (`Loading`, `DataTable`). */
export function Skeleton({ className, ...props }: ComponentProps<"span">) {
  return (
    <span
      data-slot="skeleton"
      aria-hidden="true"
      className={cn("block h-4 rounded bg-line motion-safe:animate-pulse", className)}
      {...props}
    />
  )
}
