import { clsx } from "clsx"
import type { ComponentProps } from "react"
import { Spinner } from "#app/components/icons.tsx"

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
  xs: "h-7 rounded-md px-2.5 text-[13px] whitespace-nowrap pointer-coarse:h-11",
  sm: "h-8 rounded-md px-2.5 text-[13px] whitespace-nowrap pointer-coarse:h-11",
  md: "h-9 rounded-md px-3.5 text-sm whitespace-nowrap pointer-coarse:h-11",
  lg: "h-11 rounded-md px-5 text-[15px] whitespace-nowrap",
  /** For pages with one action. Its text may wrap. */
  xl: "min-h-12 rounded-lg px-5 text-[15px]",
  icon: "size-9 rounded-md pointer-coarse:size-11",
  "icon-sm": "size-8 rounded-md pointer-coarse:size-11",
  /** For a person's picture. */
  round: "size-8 rounded-full pointer-coarse:size-11",
} as const

type Look = {
  variant?: keyof typeof variants | undefined
  size?: keyof typeof sizes | undefined
  className?: string | undefined
}

/** The classes of a button, for a link that looks like one. */
export const buttonLook = ({ variant = "outline", size = "md", className }: Look = {}): string =>
  clsx(base, variants[variant], sizes[size], className)

export type ButtonProps = ComponentProps<"button"> &
  Look & {
    /** The action is running: clicks do nothing, and the button keeps the focus. */
    pending?: boolean
  }

/** A button that has only an icon needs an `aria-label`. */
export const Button = ({ variant, size, pending = false, className, children, ...others }: ButtonProps) => (
  <button
    type="button"
    className={buttonLook({ variant, size, className })}
    {...(pending && { "aria-disabled": true })}
    {...others}
    {...(pending && { onClick: (event) => event.preventDefault() })}
  >
    {pending && <Spinner className="size-4" />}
    {children}
  </button>
)
