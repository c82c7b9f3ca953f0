"use client"

import { useParams, useRouter } from "next/navigation.js"
import { ConfigForm } from "#app/(dashboard)/[workspace]/tokens/config-form.tsx"
import { type Draft, draftOf } from "#app/(dashboard)/[workspace]/tokens/draft.ts"
import { type TokenView, useToken } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Breadcrumbs } from "#app/(dashboard)/breadcrumbs.tsx"
import { usePath, useRefresh, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Empty, Failed, Loading, PageHeader } from "#app/components/frame.tsx"
import { notify } from "#app/components/toast.ts"
import { useTimeZone } from "#app/components/zone.ts"

const TITLE = "Change rules"

/** Changes the rules of a token, and every other field that the chain has not fixed. */
export default function Page() {
  const { config: id } = useParams<{ config: string }>()
  const { data: token, error, refetch } = useToken(id)
  const { can } = useWorkspace()
  return (
    <div className="mx-auto max-w-5xl">
      <Breadcrumbs
        of={[
          [["tokens"], "Tokens"],
          [["tokens", id], token?.name ?? id],
        ]}
      />
      <PageHeader title={TITLE} description={token ? `${token.name}, ${token.id}` : id} />
      {!can("config:write") ? (
        <Empty title="You cannot change rules">Ask an owner for the developer role.</Empty>
      ) : token ? (
        // Later reads of the token do not change what was entered.
        <Change key={token.id} token={token} />
      ) : error ? (
        <Failed error={error} onRetry={refetch} />
      ) : (
        <Loading what="Loading the token" lines={8} />
      )}
    </div>
  )
}

function Change({ token }: { token: TokenView }) {
  const router = useRouter()
  const path = usePath()
  const refresh = useRefresh()
  const zone = useTimeZone()
  const page = path("tokens", token.id)
  return (
    <ConfigForm
      initial={draftOf(token, zone)}
      isNew={false}
      isMinted={token.mint_state !== "none"}
      submit="Save changes"
      cancelHref={page}
      onSubmit={async (api, config) => {
        const { outcome } = await api.mintConfig.save.mutate(config)
        notify(outcome === "unchanged" ? "No changes." : "Rules saved.")
        void refresh()
        router.push(page)
      }}
    >
      {(draft) => <Consequences token={token} draft={draft} />}
    </ConfigForm>
  )
}

function Consequences({ token, draft }: { token: TokenView; draft: Draft }) {
  if (token.transfer_mode === draft.transfer_mode) return null
  return (
    <p role="status" className="rounded-lg border border-notice-line bg-notice-soft p-3 text-[13px] text-notice">
      {draft.transfer_mode === "holder"
        ? "Accounts of verified wallets are opened one by one. Their holders can then move tokens themselves."
        : "All accounts are frozen, then balances are read from the chain. Until that is done, nothing is minted, moved or redeemed."}
    </p>
  )
}
