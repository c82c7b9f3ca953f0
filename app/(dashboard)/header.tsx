import { useQuery } from "@tanstack/react-query"
import { clsx } from "clsx"
import type { LucideIcon } from "lucide-react"
import { usePathname, useSearchParams } from "next/navigation.js"
import { Fragment, lazy, Suspense, useId } from "react"
import { type Api, createApi } from "#app/api.ts"
import { Skeleton } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import type { Me } from "#domain/people"
import type { Permission } from "#shared/scopes.ts"
import { sections } from "./sections.ts"

// Few members have several accounts.
const AccountSwitch = lazy(async () => ({ default: (await import("./account-switch.tsx")).AccountSwitch }))

/** The section that the current page belongs to. A session's page is that of its attestation. */
export function useSection(): string {
  const section = usePathname().split("/")[2] ?? ""
  const isSession = useSearchParams().get("from") === "sessions" && section === "attestations"
  return isSession ? "sessions" : section
}

type Place = {
  workspaceId: string
  /** The member's permissions. Null while they load. */
  permissions: readonly Permission[] | null
}

type NavigationLink = { name: string; icon: LucideIcon; needs?: Permission; group: string | null }

export function Navigation({ workspaceId, permissions, onGo = () => {} }: Place & { onGo?: () => void }) {
  const here = useSection()
  const id = useId()
  const shown = Object.entries<NavigationLink>(sections).filter(
    // Shown while permissions load, so that nothing moves for most members.
    ([, { needs }]) => needs === undefined || permissions === null || permissions.includes(needs),
  )
  return (
    <nav aria-label="Main">
      {[...Map.groupBy(shown, ([, { group }]) => group)].map(([group, links]) => (
        <Fragment key={group}>
          {group !== null && (
            <p id={`${id}${group}`} className="px-2.5 pt-3.5 pb-1 text-xs text-muted">
              {group}
            </p>
          )}
          <ul className="space-y-0.5" {...(group !== null && { "aria-labelledby": `${id}${group}` })}>
            {links.map(([path, { name, icon: Picture }]) => (
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
                  {isCounted(path) && permissions?.includes("review:write") && (
                    <Waiting workspaceId={workspaceId} section={path} />
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  )
}

const MANY = 100

const counts = {
  reviews: (api: Api, signal: AbortSignal) => api.review.count.query({}, { signal }),
  approvals: (api: Api, signal: AbortSignal) => api.approval.count.query({}, { signal }),
}
const isCounted = (section: string): section is keyof typeof counts => Object.hasOwn(counts, section)

/** How many reviews or requests wait for members who decide. Live updates refresh it (`live.tsx`). */
function Waiting({ workspaceId, section }: { workspaceId: string; section: keyof typeof counts }) {
  const { data } = useQuery({
    queryKey: [workspaceId, section, "count"],
    queryFn: ({ signal }) => counts[section](createApi({ "x-vouch-workspace": workspaceId }), signal),
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

export type Known = Me["workspaces"]

const modes = [
  { mode: "test", name: "Test" },
  { mode: "live", name: "Live" },
] as const

/** Shows the account and which of its two workspaces is open. Switching stays in the same section. */
export function WorkspaceSwitch({ workspaces, here }: { workspaces: Known; here: Known[number] }) {
  const section = useSection()
  const siblings = workspaces.filter(({ account_id }) => account_id === here.account_id)
  return (
    <div className="flex min-w-0 items-center gap-3">
      <AccountName workspaces={workspaces} here={here} section={section} />
      <nav aria-label="Workspace" className="flex rounded-lg border border-line bg-sunken p-0.5">
        {modes.map(({ mode, name }) => {
          const workspace = siblings.find((sibling) => sibling.mode === mode)
          if (!workspace) return null
          return (
            <Link
              key={mode}
              href={`/${workspace.id}/${section}`}
              prefetch={false}
              {...(workspace.id === here.id && { "aria-current": "true" as const })}
              className={clsx(
                "flex h-7 items-center rounded-md border border-transparent px-2.5 text-[13px] text-muted hover:text-ink aria-[current=true]:bg-surface aria-[current=true]:font-medium aria-[current=true]:shadow-xs pointer-coarse:h-9",
                mode === "test"
                  ? "aria-[current=true]:border-notice-line aria-[current=true]:bg-notice-soft aria-[current=true]:text-notice"
                  : "aria-[current=true]:border-line aria-[current=true]:text-accent",
              )}
            >
              {name}
            </Link>
          )
        })}
      </nav>
    </div>
  )
}

type AccountProps = { workspaces: Known; here: Known[number]; section: string }

/** The account's name. A menu if the member has several accounts. */
function AccountName({ workspaces, here, section }: AccountProps) {
  // Keeps the mode when the account changes.
  const accounts = workspaces.filter(({ mode }) => mode === here.mode)
  if (accounts.length < 2) {
    return <span className="truncate text-sm font-medium max-sm:hidden">{here.account}</span>
  }
  return (
    <Suspense fallback={<Skeleton className="h-8 w-40 rounded" />}>
      <AccountSwitch accounts={accounts} here={here} section={section} />
    </Suspense>
  )
}
