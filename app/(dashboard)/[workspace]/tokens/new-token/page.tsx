"use client"

import { useRouter } from "next/navigation.js"
import { ConfigForm } from "#app/(dashboard)/[workspace]/tokens/config-form.tsx"
import { emptyDraft } from "#app/(dashboard)/[workspace]/tokens/draft.ts"
import { Breadcrumbs } from "#app/(dashboard)/breadcrumbs.tsx"
import { usePath, useRefresh, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Empty, PageHeader } from "#app/components/frame.tsx"

/** Creates a token, waits for its mint and opens its page, which shows the rest of the progress. */
export default function Page() {
  const router = useRouter()
  const path = usePath()
  const refresh = useRefresh()
  const { can } = useWorkspace()
  return (
    <div className="mx-auto max-w-5xl">
      <Breadcrumbs of={[[["tokens"], "Tokens"]]} />
      <PageHeader
        title="Create token"
        description="The token is created on chain and controlled by your workspace's key. You can change rules later."
      />
      {can("config:write") ? (
        <ConfigForm
          initial={emptyDraft}
          isNew
          isMinted={false}
          submit="Create token"
          cancelHref={path("tokens")}
          onSubmit={async (api, config) => {
            await api.mintConfig.create.mutate(config)
            void refresh()
            router.push(path("tokens", config.id))
          }}
        >
          {() => (
            <p className="text-[13px] text-muted">
              Name, symbol and decimals are written on chain and cannot be changed. Creating a token usually takes a few
              seconds.
            </p>
          )}
        </ConfigForm>
      ) : (
        <Empty title="You cannot create tokens">Ask an owner for the developer role.</Empty>
      )}
    </div>
  )
}
