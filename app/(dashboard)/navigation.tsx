import { useQuery } from "@tanstack/react-query"
import type { LucideIcon } from "lucide-react"
import { usePathname } from "next/navigation.js"
import { createApi } from "#app/api.ts"
import { Icon } from "#app/components/icons.tsx"
import { Button, Link } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import type { Permission } from "#shared/scopes.ts"
import { sections } from "./sections.ts"

/** The section that the current page belongs to. */
export const useSection = (): string => usePathname().split("/")[2] ?? ""

type Place = {
  workspaceId: string
  /** The member's permissions. Null while they load. */
  permissions: readonly Permission[] | null
}

export function Navigation({ workspaceId, permissions, onGo = () => {} }: Place & { onGo?: () => void }) {
  const here = useSection()
  const shown = Object.entries<{ name: string; icon: LucideIcon; needs?: Permission }>(sections).filter(
    // Shown while permissions load, so that nothing moves for most members.
    ([, { needs }]) => needs === undefined || permissions === null || permissions.includes(needs),
  )
  return (
    <nav aria-label="Main">
      <ul className="space-y-0.5">
        {shown.map(([path, { name, icon: Picture }]) => (
          <li key={path}>
            <Link
              href={`/${workspaceId}/${path}`}
              prefetch={false}
              onClick={onGo}
              {...(path === here && { "aria-current": "page" as const })}
              className="group flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent pointer-coarse:h-11"
            >
              <Picture className="size-4 shrink-0" aria-hidden="true" />
              {name}
              {path === "reviews" && permissions !== null && <ReviewCount workspaceId={workspaceId} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const MANY = 100

/** The number of waiting reviews. Live updates refresh it (`live.tsx`). */
function ReviewCount({ workspaceId }: { workspaceId: string }) {
  const { data } = useQuery({
    queryKey: [workspaceId, "reviews", "count"],
    queryFn: ({ signal }) => createApi({ "x-vouch-workspace": workspaceId }).review.count.query({}, { signal }),
  })
  if (!data || data.waiting === 0) return null
  return (
    <span className="ml-auto rounded-full bg-accent-soft px-1.5 group-aria-[current=page]:bg-surface text-xs leading-5 font-medium text-accent tabular-nums">
      {data.waiting < MANY ? data.waiting : `${MANY - 1}+`}
      <span className="sr-only"> waiting</span>
    </span>
  )
}

export const NavigationMenu = (place: Place) => (
  <Dialog
    kind="left"
    title="Menu"
    className="w-72!"
    trigger={
      <Button variant="ghost" size="icon" aria-label="Menu" className="-ml-2 lg:hidden">
        <Icon name="menu" />
      </Button>
    }
  >
    {(close) => <Navigation {...place} onGo={close} />}
  </Dialog>
)
