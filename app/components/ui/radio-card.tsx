import type { ComponentProps, ReactNode } from "react"

type RadioCardProps = Omit<ComponentProps<"input">, "type" | "title" | "children"> & {
  title: ReactNode
  children?: ReactNode
}

/** One of several choices, with an explanation. The whole card can be clicked. */
export const RadioCard = ({ title, children, ...props }: RadioCardProps) => (
  <label className="flex cursor-pointer gap-3 rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-accent-soft">
    <input {...props} type="radio" className="mt-1 size-4 shrink-0 accent-accent" />
    <span className="min-w-0">
      <span className="block font-medium">{title}</span>
      {children}
    </span>
  </label>
)
