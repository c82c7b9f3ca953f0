import { clsx } from "clsx"
import { type ComponentProps, createContext, type ReactNode, use } from "react"
import { Icon } from "#app/components/icons.tsx"

/** What a field passes to the control inside it. */
type Control = {
  id: string
  name: string
  "aria-describedby": string | undefined
  "aria-invalid": true | undefined
  required: boolean | undefined
}

export const ControlContext = createContext<Control | null>(null)

/** The attributes that a control gets from the field around it, if any. */
const useControl = (): Partial<Control> => use(ControlContext) ?? {}

/** The look of every text control. */
const controlLook =
  "w-full min-w-0 rounded-md border border-field bg-surface px-3 text-sm text-ink placeholder:text-muted disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-danger max-sm:text-base"

/** Inside a `Field`, it takes its name, label, hint and error from there. */
export const Input = ({ className, ...props }: ComponentProps<"input">) => (
  <input
    type="text"
    {...useControl()}
    {...props}
    className={clsx(controlLook, "h-9 read-only:bg-sunken pointer-coarse:h-11", className)}
  />
)

/** Asks for a file. The browser's own button looks like ours. */
export const FileInput = ({ className, ...props }: ComponentProps<"input">) => (
  <Input
    {...props}
    type="file"
    className={clsx(
      "cursor-pointer bg-surface! py-1 file:mr-3 file:h-full file:cursor-pointer file:rounded file:border file:border-line file:bg-sunken file:px-2 file:font-medium file:text-ink",
      className,
    )}
  />
)

/** Inside a `Field`, it takes its name, label, hint and error from there. */
export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea rows={3} {...useControl()} {...props} className={clsx(controlLook, "block py-2", className)} />
}

/** Values with their labels. */
export type Options<Value extends string | number = string> = readonly (readonly [value: Value, label: string])[]

/** The browser's own select, which every phone and screen reader supports. `options` follow its children. */
export function Select({
  className,
  options = [],
  children,
  ...props
}: ComponentProps<"select"> & { options?: Options<string | number> }) {
  return (
    <div className={clsx("relative", className)}>
      <select
        {...useControl()}
        {...props}
        className={clsx(controlLook, "h-9 cursor-pointer appearance-none text-ellipsis pr-8 pointer-coarse:h-11")}
      >
        {children}
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon
        name="chevron"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  )
}

export function Label({ className, ...props }: ComponentProps<"label">) {
  // biome-ignore lint/a11y/noLabelWithoutControl: the caller sets `htmlFor`
  return <label className={clsx("block text-[13px] font-medium", className)} {...props} />
}

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
