"use client"

import { Search } from "lucide-react"
import { usePathname } from "next/navigation.js"
import { showSearch } from "#app/(dashboard)/keys.tsx"
import { Providers } from "#app/(dashboard)/providers.tsx"
import { Shell } from "#app/(dashboard)/shell.tsx"
import { PageHeader } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import NotFound from "#app/not-found.tsx"

/** Keeps the workspace's navigation if the address is in one. */
export function Lost() {
  const workspaceId = usePathname().split("/")[1] ?? ""
  if (!/^ws_\w+$/.test(workspaceId)) return <NotFound />
  return (
    <Providers>
      <Shell workspaceId={workspaceId}>
        <PageHeader
          title="Not found"
          heading="Page not found"
          description="Check the address, search, or choose a section in the menu."
          actions={
            <>
              <Button aria-haspopup="dialog" aria-keyshortcuts="Meta+K Control+K" onClick={showSearch}>
                <Search aria-hidden="true" />
                Search
              </Button>
              <Link href={`/${workspaceId}/overview`} prefetch={false} className={buttonLook({ variant: "primary" })}>
                Go to the overview
              </Link>
            </>
          }
        />
      </Shell>
    </Providers>
  )
}
