import { clsx } from "clsx"
import type { ComponentProps, HTMLAttributes } from "react"
import { Spinner } from "#app/components/icons.tsx"
import { Slot } from "./slot.tsx"

const base =
  "inline-flex shrink-0 cursor-pointer items-center justify-center gap-1.5 border font-medium motion-safe:transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-progress aria-disabled:opacity-70 [&_svg]:size-4 [&_svg]:shrink-0"

const variants = {
  primary: "border-transparent bg-accent text-accent-ink hover:bg-accent-strong",
  outline: "border-field/60 bg-surface text-ink hover:bg-sunken",
  ghost: "border-transparent text-ink hover:bg-sunken aria-expanded:bg-sunken",
  danger: "border-transparent bg-danger text-danger-ink hover:bg-danger-strong",
  link: "h-auto! border-0 px-0! text-accent underline-offset-4 hover:underline",
} as const

const sizes = {
  xs: "h-7 rounded-md px-2.5 text-[13px] whitespace-nowrap pointer-coarse:h-10",
  sm: "h-8 rounded-md px-2.5 text-[13px] whitespace-nowrap pointer-coarse:h-10",
  md: "h-9 rounded-md px-3.5 text-sm whitespace-nowrap pointer-coarse:h-11",
  lg: "h-11 rounded-md px-5 text-[15px] whitespace-nowrap",
  /** For pages with one action. Its text may wrap. */
  xl: "min-h-12 rounded-lg px-5 text-[15px]",
  icon: "size-9 rounded-md pointer-coarse:size-11",
  "icon-sm": "size-8 rounded-md pointer-coarse:size-10",
  /** For a person's picture. */
  round: "size-8 rounded-full pointer-coarse:size-10",
} as const

export type ButtonProps = ComponentProps<"button"> & {
  variant?: keyof typeof variants
  size?: keyof typeof sizes
  /** Styles the child, such as a link, as a button instead of rendering one. */
  asChild?: boolean
  /** The action is running: clicks do nothing, and the button keeps the focus. */
  pending?: boolean
}

/** A button that has only an icon needs an `aria-label`. */
export function Button({
  variant = "outline",
  size = "md",
  asChild = false,
  pending = false,
  className,
  children,
  ...others
}: ButtonProps) {
  const look = clsx(base, variants[variant], sizes[size], className)
  if (asChild) {
    return (
      <Slot className={look} {...(others as HTMLAttributes<HTMLElement>)}>
        {children}
      </Slot>
    )
  }
  return (
    <button
      type="button"
      className={look}
      {...(pending && { "aria-disabled": true })}
      {...others}
      {...(pending && { onClick: (event) => event.preventDefault() })}
    >
      {pending && <Spinner className="size-4" />}
      {children}
    </button>
  )
}
