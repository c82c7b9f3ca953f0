import { Badge } from "#app/components/badge.tsx"
import { type ErrorCode, errors } from "#shared/errors.ts"

/** Errors, each a link to its page. */
export const ErrorLinks = ({ codes }: { codes: readonly ErrorCode[] }) => (
  <ul className="divide-y divide-line rounded-xl border border-line bg-surface">
    {codes.map((code) => (
      <li key={code}>
        <a
          href={`/docs/errors/${code}`}
          className="group flex flex-col justify-between gap-x-6 px-4 py-2.5 text-sm hover:bg-sunken sm:flex-row sm:items-baseline"
        >
          <code className="font-mono text-[13px] group-hover:underline">{code}</code>
          <span className="text-muted">
            {errors[code].title} {errors[code].isDashboardOnly && <Badge>Dashboard</Badge>}
          </span>
        </a>
      </li>
    ))}
  </ul>
)
