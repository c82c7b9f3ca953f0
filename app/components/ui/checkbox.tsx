"use client"

import { clsx } from "clsx"
import type { ComponentProps, ReactNode } from "react"
import { Icon } from "#app/components/icons.tsx"
import { useControl } from "./input.tsx"

type CheckboxProps = Omit<ComponentProps<"input">, "type" | "children"> & {
  /** Its label, unless a `Field` around it or an `aria-label` is. */
  children?: ReactNode
  hint?: ReactNode
}

/** A checkbox with its label, the whole of which can be clicked. */
export function Checkbox({ className, children, hint, ...props }: CheckboxProps) {
  const control = useControl()
  const box = (
    <span className="relative mt-0.5 size-4 shrink-0">
      <input
        {...control}
        {...props}
        type="checkbox"
        className="peer block size-4 cursor-pointer appearance-none rounded border border-field bg-surface checked:border-accent checked:bg-accent disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-danger"
      />
      <Icon
        name="check"
        className="pointer-events-none absolute inset-0 hidden size-4 stroke-3 p-0.5 text-accent-ink peer-checked:block"
      />
    </span>
  )
  if (children === undefined) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control
    <label
      className={clsx(
        "flex cursor-pointer items-start gap-2.5 py-1 text-sm pointer-coarse:py-2.5",
        className,
      )}
    >
      {box}
      <span>
        {children}
        {hint && <span className="block text-[13px] text-muted">{hint}</span>}
      </span>
    </label>
  )
}
