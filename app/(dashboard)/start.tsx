"use client"

import { useRouter } from "next/navigation.js"
import { useEffect } from "react"
import { Empty, Failed, Loading, PageCard } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { remember, remembered } from "#app/components/storage.ts"
import type { Me } from "#domain/people"
import { Providers } from "./providers.tsx"
import type { Section } from "./sections.ts"
import { useMe, type Workspace } from "./workspace.tsx"

/** Redirects to a section of the workspace visited last. */
export const Start = ({ section }: { section: Section }) => (
  <Providers>
    <GoOn section={section} />
  </Providers>
)

function GoOn({ section }: { section: Section }) {
  const router = useRouter()
  const { data: me, error, refetch } = useMe()
  useEffect(() => {
    const workspace = me && lastWorkspace(me.workspaces)
    if (workspace) router.replace(`/${workspace.id}/${section}`)
  }, [me, router, section])
  return (
    <PageCard>
      <title>Vouch</title>
      <h1 className="sr-only">Vouch</h1>
      {me?.workspaces.length === 0 ? (
        <Chooser workspaces={me.workspaces} />
      ) : error ? (
        <Failed error={error} onRetry={refetch} />
      ) : (
        <Loading what="Opening your workspace" />
      )}
    </PageCard>
  )
}

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

const KEY = "vouch.workspace"

export const rememberWorkspace = (id: string): void => remember(KEY, id)

/** The workspace visited last, else the first, which is in test mode. */
const lastWorkspace = <Known extends Pick<Workspace, "id">>(workspaces: Known[]): Known | undefined =>
  workspaces.find(({ id }) => id === remembered(KEY)) ?? workspaces[0]
