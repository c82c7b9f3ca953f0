import type { ComponentProps, ReactNode } from "react"
import { useId } from "react"
import { cn } from "#app/components/cn.ts"

/** A part of a page with a heading of its own, at the second level. */
export function Card({
  title,
  description,
  actions,
  className,
  children,
  ...props
}: Omit<ComponentProps<"section">, "title"> & {
  title?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}) {
  const id = useId()
  return (
    <section
      {...(title && { "aria-labelledby": id })}
      {...props}
      className={cn("min-w-0 rounded-xl border border-line bg-surface p-4 sm:p-5", className)}
    >
      {(title || actions) && (
        <header className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <div>
            {title && (
              <h2 id={id} className="text-sm font-semibold">
                {title}
              </h2>
            )}
            {description && <p className="mt-0.5 text-[13px] text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}
