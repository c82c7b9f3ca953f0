import { cva, type VariantProps } from "class-variance-authority"
import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"

const look = cva(
  "inline-flex items-center gap-1.5 rounded-full border px-2 py-px text-xs leading-5 font-medium whitespace-nowrap",
  {
    variants: {
      tone: {
        plain: "border-line bg-sunken text-muted",
        good: "border-transparent bg-accent-soft text-accent",
        notice: "border-notice-line bg-notice-soft text-notice",
        bad: "border-transparent bg-danger-soft text-danger",
      },
    },
    defaultVariants: { tone: "plain" },
  },
)

export type Tone = NonNullable<VariantProps<typeof look>["tone"]>

export function Badge({ tone, className, ...props }: ComponentProps<"span"> & VariantProps<typeof look>) {
  return <span className={cn(look({ tone }), className)} {...props} />
}
