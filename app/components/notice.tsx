import { type ReactNode, useId } from "react"
import { Icon } from "./icons.tsx"

/** What needs attention on a page, above what it is about. */
export function Notice({ title, children }: { title: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="flex gap-2.5 rounded-xl border border-notice-line bg-notice-soft p-4 text-sm text-notice"
    >
      <Icon name="alert" className="mt-0.5 size-4" />
      <div className="min-w-0 flex-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {children}
      </div>
    </section>
  )
}
