"use client"

import { lazy, type ReactNode, Suspense, useEffect } from "react"
import { Failed, Loading, PageHeader, Skeleton } from "#app/components/frame.tsx"
import { Icon, Wordmark } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { ownZone, shortZone, TimeZone } from "#app/components/zone.ts"
import type { Me } from "#domain/people"
import { Navigation, NavigationMenu, WorkspaceSwitch } from "./header.tsx"
import { Keys } from "./keys.tsx"
import { rememberWorkspace } from "./last-workspace.ts"
import { Live } from "./live.tsx"
import { goToSignIn } from "./session.ts"
import { UserMenu } from "./user-menu.tsx"
import { useMe, WorkspaceProvider } from "./workspace.tsx"

// Shown only if the member does not belong to the workspace of the address.
const Chooser = lazy(async () => ({ default: (await import("./chooser.tsx")).Chooser }))
const SecondFactorFirst = lazy(async () => ({
  default: (await import("./second-factor-first.tsx")).SecondFactorFirst,
}))

/** The frame around every page of a workspace. */
export function Shell({ workspaceId, children }: { workspaceId: string; children: ReactNode }) {
  const { data: me, error, refetch } = useMe()
  const here = me?.workspaces.find(({ id }) => id === workspaceId)
  // A missing second factor replaces every page, so no links are shown then.
  const isHeldUp = here !== undefined && here.demands !== null
  const place = { workspaceId, permissions: here?.permissions ?? null }
  useEffect(() => {
    if (here) rememberWorkspace(here.id)
  }, [here])

  return (
    <div className="min-h-dvh text-sm leading-normal lg:grid lg:grid-cols-[14rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside aria-label="Sidebar" className="border-r border-line bg-surface max-lg:hidden">
        <div className="sticky top-0 flex h-dvh flex-col overflow-y-auto px-3 py-3">
          <Link
            href={`/${workspaceId}/overview`}
            prefetch={false}
            aria-label="Vouch"
            className="mb-4 flex h-8 items-center rounded-md px-1.5"
          >
            <Wordmark />
          </Link>
          {!isHeldUp && <Navigation {...place} />}
        </div>
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky top-0 z-30 flex h-14 items-center justify-between gap-3 border-b border-line bg-surface px-4 sm:px-6">
          <div className="flex min-w-0 items-center gap-2">
            {!isHeldUp && <NavigationMenu {...place} />}
            {me && here ? (
              <WorkspaceSwitch workspaces={me.workspaces} here={here} />
            ) : (
              <Skeleton className="h-7 w-40 rounded" />
            )}
          </div>
          {me && (
            <div className="flex min-w-0 items-center gap-2">
              {here && !isHeldUp && (
                <WorkspaceProvider key={here.id} workspace={here}>
                  <Keys />
                </WorkspaceProvider>
              )}
              {!isHeldUp && <ZoneNote zone={me.user.time_zone ?? ownZone()} workspaceId={workspaceId} />}
              <UserMenu me={me} here={here} isHeldUp={isHeldUp} />
            </div>
          )}
        </header>
        {here && <Notices notices={here.notices} />}
        <main
          // Waits for the notices above, which would push the page down.
          key={here ? "page" : "opening"}
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-6xl flex-1 scroll-mt-14 px-4 py-6 outline-none sm:px-6 sm:pt-9 sm:pb-8"
        >
          {here ? (
            // Switching the workspace resets everything, including entered values.
            <WorkspaceProvider key={here.id} workspace={here}>
              <TimeZone value={me?.user.time_zone ?? null}>
                {here.demands === null ? (
                  <>
                    <Live />
                    {children}
                  </>
                ) : (
                  <Suspense fallback={<Loading what="Loading" />}>
                    <SecondFactorFirst user={me!.user} account={here.account} demands={here.demands} />
                  </Suspense>
                )}
              </TimeZone>
            </WorkspaceProvider>
          ) : me ? (
            <>
              <PageHeader
                title="Choose a workspace"
                description="This workspace does not exist, or you are not a member of it."
              />
              <Suspense fallback={<Loading what="Loading the workspaces" />}>
                <Chooser workspaces={me.workspaces} />
              </Suspense>
            </>
          ) : error ? (
            <Failed error={error} onRetry={refetch} />
          ) : (
            <Loading what="Loading the workspace" />
          )}
        </main>
      </div>
    </div>
  )
}

/** Names the page's time zone. All times use it unless they say UTC. */
const ZoneNote = ({ zone, workspaceId }: { zone: string; workspaceId: string }) => (
  <Link
    href={`/${workspaceId}/settings?part=account`}
    prefetch={false}
    title={`Times are in ${zone}. Change this in Settings, Your account.`}
    className="truncate rounded-md px-1 text-xs text-muted hover:text-ink"
  >
    <span className="sr-only">Times in </span>
    <span className="max-sm:hidden">{zone.replaceAll("_", " ")}</span>
    <span className="sm:hidden">{shortZone(zone)}</span>
  </Link>
)

/** What a reader must know about the mode. */
function Notices({ notices }: { notices: Me["workspaces"][number]["notices"] }) {
  if (notices.length === 0) return null
  return (
    <section
      aria-label="About this mode"
      className="flex gap-2.5 border-b border-notice-line bg-notice-soft px-4 py-2 text-[13px] text-notice sm:px-6"
    >
      <Icon name="alert" className="mt-0.5 size-4" />
      <p className="max-sm:hidden">{notices.join(" ")}</p>
      {/* On a phone one line, which opens at a touch. */}
      <details className="group min-w-0 flex-1 sm:hidden">
        <summary className="-my-1 flex cursor-pointer list-none gap-2 rounded-sm py-1 [&::-webkit-details-marker]:hidden">
          <span className="min-w-0 flex-1 truncate group-open:whitespace-normal">{notices.join(" ")}</span>
          <Icon name="chevron" className="mt-0.5 size-4 shrink-0 group-open:rotate-180" />
        </summary>
      </details>
    </section>
  )
}

/** Without a session the page is replaced, because the server would refuse its calls. */
export function SignInFirst() {
  useEffect(goToSignIn, [])
  return <p className="sr-only">Sign in first.</p>
}
