import { Link } from "#app/components/link.tsx"
import { usePath } from "./workspace.tsx"

/** A page above this one: its path below the workspace, and its name. */
export type Crumb = [path: string[], name: string]

/** The pages above this one, the outermost first, in the space above the heading: it is where it is on other pages. */
export function Breadcrumbs({ of }: { of: Crumb[] }) {
  const path = usePath()
  return (
    <nav aria-label="Breadcrumbs" className="mb-2 text-[13px] leading-5.5 text-muted sm:-mt-6.5 sm:mb-1">
      <ol className="flex flex-wrap gap-x-1.5">
        {of.map(([to, name], index) => (
          <li key={to.join("/")} className="flex min-w-0 gap-x-1.5 wrap-anywhere">
            {index > 0 && <span aria-hidden="true">/</span>}
            <Link href={path(...to)} prefetch={false} className="hover:underline">
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
