import { clsx } from "clsx"
import type { ComponentProps, ReactNode } from "react"
import { Icon } from "#app/components/icons.tsx"
import { useControl } from "./input.tsx"

type CheckboxProps = Omit<ComponentProps<"input">, "type" | "children"> & {
  /** Its label, unless a `Field` around it or an `aria-label` names it. */
  children?: ReactNode
  hint?: ReactNode
  /** Only a part of what it stands for is selected. */
  partly?: boolean
}

/** A checkbox whose whole label can be clicked. */
export function Checkbox({ className, children, hint, partly = false, ref, ...props }: CheckboxProps) {
  const control = useControl()
  const box = (
    <span className={clsx("relative size-4 shrink-0", children !== undefined && "mt-0.5")}>
      <input
        {...control}
        {...props}
        type="checkbox"
        // HTML has no attribute for `indeterminate`.
        ref={(box) => {
          if (box) box.indeterminate = partly
          if (typeof ref === "function") return ref(box)
          if (ref) ref.current = box
        }}
        className="peer block size-4 cursor-pointer appearance-none rounded border border-field bg-surface checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-danger"
      />
      <Icon
        name="check"
        className="pointer-events-none absolute inset-0 hidden size-4 stroke-3 p-0.5 text-accent-ink peer-checked:block"
      />
      <span className="pointer-events-none absolute inset-x-1 top-[7px] hidden h-0.5 rounded bg-accent-ink peer-indeterminate:block" />
    </span>
  )
  if (children === undefined) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control
    <label className={clsx("flex cursor-pointer items-start gap-2.5 py-1 text-sm pointer-coarse:py-2.5", className)}>
      {box}
      <span>
        {children}
        {hint && <span className="block text-[13px] text-muted">{hint}</span>}
      </span>
    </label>
  )
}
