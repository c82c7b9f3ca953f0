import { cva, type VariantProps } from "class-variance-authority"
import { Slot } from "radix-ui/slot"
import type { ComponentProps, HTMLAttributes } from "react"
import { cn } from "#app/components/cn.ts"
import { Spinner } from "#app/components/icons.tsx"

export const buttonLook = cva(
  "inline-flex shrink-0 cursor-pointer items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap motion-safe:transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-progress aria-disabled:opacity-70 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "border-transparent bg-accent text-accent-ink hover:bg-accent-strong",
        outline: "border-field/60 bg-surface text-ink hover:bg-sunken",
        ghost: "border-transparent text-ink hover:bg-sunken aria-expanded:bg-sunken",
        danger: "border-transparent bg-danger text-danger-ink hover:bg-danger-strong",
        link: "h-auto! border-0 px-0! text-accent underline-offset-4 hover:underline",
      },
      size: {
        sm: "h-8 px-2.5 text-[13px] pointer-coarse:h-10",
        md: "h-9 px-3.5 text-sm pointer-coarse:h-11",
        lg: "h-11 px-5 text-[15px]",
        icon: "size-9 pointer-coarse:size-11",
        "icon-sm": "size-8 pointer-coarse:size-10",
      },
    },
    defaultVariants: { variant: "outline", size: "md" },
  },
)

export type ButtonProps = ComponentProps<"button"> &
  VariantProps<typeof buttonLook> & {
    /** Dresses the child (a link, say) as a button, instead of making one. */
    asChild?: boolean
    /** Something is under way: further clicks do nothing, and the button keeps the focus. */
    pending?: boolean
  }

/** A button with an icon alone needs an `aria-label`. */
export function Button({
  variant,
  size,
  asChild = false,
  pending = false,
  className,
  children,
  ...others
}: ButtonProps) {
  const look = cn(buttonLook({ variant, size }), className)
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
