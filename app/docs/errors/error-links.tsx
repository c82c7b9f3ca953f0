import { Link } from "#app/components/link.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import type { DocumentedError } from "./table.ts"

/** Errors, each a link to its page. */
export function ErrorLinks({ errors }: { errors: readonly DocumentedError[] }) {
  return (
    <ul className="divide-y divide-line rounded-xl border border-line bg-surface">
      {errors.map(({ code, title, isDashboardOnly }) => (
        <li key={code}>
          <Link
            href={`/docs/errors/${code}`}
            prefetch={false}
            className="group flex flex-col justify-between gap-x-6 px-4 py-2.5 sm:flex-row sm:items-baseline text-sm hover:bg-sunken"
          >
            <code className="font-mono text-[13px] group-hover:underline">{code}</code>
            <span className="text-muted">
              {title} {isDashboardOnly && <Badge>Dashboard</Badge>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
