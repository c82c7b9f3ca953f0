"use client"

import { PageHeader } from "#app/components/page-header.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { Guides } from "./guides.tsx"
import { QuickStart, useQuickStart } from "./quick-start.tsx"

/** How to build on this workspace: the first requests, ready to run, and links to the documentation. */
export default function Page() {
  const { isLoading } = useQuickStart()
  return (
    <>
      <PageHeader
        title="Developers"
        description="Verify a wallet and mint a token to it in four requests."
        actions={
          <>
            <a href="/docs/errors" className={buttonLook()}>
              Errors
            </a>
            <a href="/docs/api" className={buttonLook({ variant: "primary" })}>
              API reference
            </a>
          </>
        }
      />
      <div className="space-y-6">
        <QuickStart />
        {/* Waits for the part above, which would push it down. */}
        {!isLoading && <Guides />}
      </div>
    </>
  )
}
