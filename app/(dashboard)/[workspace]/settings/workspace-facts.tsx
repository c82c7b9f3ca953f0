"use client"

import type { ReactNode } from "react"
import { Copyable } from "../../../components/copyable.tsx"
import { Failed, Loading } from "../../../components/states.tsx"
import { Badge } from "../../../components/ui/badge.tsx"
import { Card } from "../../../components/ui/card.tsx"
import { useRead } from "../../workspace.tsx"

const plans = { free: "Free", growth: "Growth", enterprise: "Enterprise" } as const

/** What this workspace is, and what it runs on. Nothing of it is changed here. */
export function WorkspaceFacts() {
  const { data, error, refetch } = useRead(["workspace"], (api, signal) =>
    api.workspace.get.query(undefined, { signal }),
  )
  if (!data) {
    return error ? (
      <Failed error={error} onRetry={refetch} />
    ) : (
      <Loading what="Loading the workspace" lines={8} />
    )
  }
  const { account, mode, id, base_url, provider, chain } = data
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Card title="Account">
        <Facts
          facts={[
            ["Name", account.name],
            ["Plan", plans[account.plan]],
            ["Account id", <Copyable key="id" value={account.id} what="the account’s id" compact />],
          ]}
        />
      </Card>
      <Card title="Workspace">
        <Facts
          facts={[
            [
              "Mode",
              <Badge key="mode" tone={mode === "live" ? "good" : "notice"}>
                {mode === "live" ? "Live" : "Test"}
              </Badge>,
            ],
            ["Workspace id", <Copyable key="id" value={id} what="the workspace’s id" compact />],
            ["Base URL", <Copyable key="url" value={base_url} what="the base URL" compact whole />],
          ]}
        />
      </Card>
      <Card title="Chain" description="What is issued here carries these addresses.">
        {chain ? (
          <Facts
            facts={[
              ["Cluster", chain.cluster],
              [
                "Issuer",
                <Copyable key="issuer" value={chain.authority} what="the issuer’s address" compact />,
              ],
              [
                "Fee payer",
                <Copyable key="payer" value={chain.fee_payer} what="the fee payer’s address" compact />,
              ],
            ]}
          />
        ) : (
          <p className="text-muted">None is configured for this mode.</p>
        )}
      </Card>
      <Card title="Verification">
        <Facts facts={[["Provider", provider ?? "None is configured for this mode"]]} />
      </Card>
    </div>
  )
}

function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
