import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import type { Me } from "#domain/people"

/** The user's workspaces as links, or how to join one. */
export function Chooser({ workspaces }: { workspaces: Me["workspaces"] }) {
  if (workspaces.length === 0) {
    return (
      <Empty title="You are not a member of any account">
        Ask an owner for an invitation, and open its link while you are signed in.
      </Empty>
    )
  }
  return (
    <ul className="mt-5 divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
      {workspaces.map(({ id, account, mode, role }) => (
        <li key={id}>
          <Link
            href={`/${id}/overview`}
            prefetch={false}
            className="flex items-center justify-between gap-4 px-4 py-3 text-sm -outline-offset-2 hover:bg-sunken"
          >
            <span className="font-medium">
              {account} <span className="font-normal text-muted">{mode}</span>
            </span>
            <span className="text-muted">{role}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
