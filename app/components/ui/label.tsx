import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"

export function Label({ className, ...props }: ComponentProps<"label">) {
  // biome-ignore lint/a11y/noLabelWithoutControl: what it labels is named where it is used
  return <label className={cn("block text-[13px] font-medium", className)} {...props} />
}
