import { clsx } from "clsx"
import { type ComponentProps, createContext, use } from "react"
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
export const useControl = (): Partial<Control> => use(ControlContext) ?? {}

/** The look of every text control. */
const controlLook =
  "w-full min-w-0 rounded-md border border-field bg-surface px-3 text-sm text-ink placeholder:text-muted disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-danger max-sm:text-base"

/** Inside a `Field`, it takes its name, label, hint and error from there. */
export function Input({ className, ...props }: ComponentProps<"input">) {
  return (
    <input
      type="text"
      {...useControl()}
      {...props}
      className={clsx(controlLook, "h-9 read-only:bg-sunken pointer-coarse:h-11", className)}
    />
  )
}

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
