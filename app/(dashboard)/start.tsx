"use client"

import { useRouter } from "next/navigation.js"
import { useEffect } from "react"
import { Failed, Loading, PageCard } from "#app/components/frame.tsx"
import { Chooser } from "./chooser.tsx"
import { lastWorkspace } from "./last-workspace.ts"
import { Providers } from "./providers.tsx"
import type { Section } from "./sections.ts"
import { useMe } from "./workspace.tsx"

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
