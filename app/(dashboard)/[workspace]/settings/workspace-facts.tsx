import { useQueryClient } from "@tanstack/react-query"

import { useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Form, Submit, TextField } from "#app/components/form.tsx"
import { Failed, Loading } from "#app/components/states.tsx"
import { notify } from "#app/components/toast.ts"
import { Badge } from "#app/components/ui/badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { AccountSecurity } from "./account-security.tsx"
import { HostedPage } from "./hosted-page.tsx"
import { Reminders } from "./reminders.tsx"

const plans = { free: "Free", growth: "Growth", enterprise: "Enterprise" } as const

/** Ids, addresses and provider of this workspace. Owners change the company's name. */
export function WorkspaceFacts() {
  const { can } = useWorkspace()
  const { data, error, refetch } = useQuery("workspace.get")
  if (!data) {
    return error ? <Failed error={error} onRetry={refetch} /> : <Loading what="Loading the workspace" lines={8} />
  }
  const { account, mode, id, base_url, provider, chain } = data
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Card title="Account">
        <Facts
          facts={{
            Name: !can("member:write") && account.name,
            Plan: plans[account.plan],
            "Account id": <Copyable value={account.id} what="the account’s id" compact />,
          }}
        />
        {can("member:write") && <AccountName name={account.name} />}
      </Card>
      <AccountSecurity account={account} />
      <Card title="Workspace">
        <Facts
          facts={{
            Mode: <Badge tone={mode === "live" ? "good" : "notice"}>{mode === "live" ? "Live" : "Test"}</Badge>,
            "Workspace id": <Copyable value={id} what="the workspace’s id" compact />,
            "Base URL": <Copyable value={base_url} what="the base URL" compact whole />,
          }}
        />
      </Card>
      <Card title="Chain" description="Addresses of the credentials and tokens issued here.">
        {chain ? (
          <Facts
            facts={{
              Cluster: chain.cluster,
              Issuer: <Copyable value={chain.authority} what="the issuer’s address" compact />,
              "Fee payer": <Copyable value={chain.fee_payer} what="the fee payer’s address" compact />,
            }}
          />
        ) : (
          <p className="text-muted">No chain is configured for this mode.</p>
        )}
      </Card>
      <Card title="Verification">
        <Facts facts={{ Provider: provider ?? "No provider is configured for this mode" }} />
      </Card>
      <Reminders />
      <HostedPage company={account.name} />
    </div>
  )
}

/** The company's name, shown to members, in invitations and on the command line. */
function AccountName({ name }: { name: string }) {
  const client = useQueryClient()
  const rename = useMutation((api, name: string) => api.workspace.renameAccount.mutate({ name }))
  return (
    <Form
      className="mt-4"
      onSubmit={async (values) => {
        await rename.mutateAsync(String(values.get("name")).trim())
        await client.invalidateQueries({ queryKey: ["me"] })
        notify("Company name saved")
      }}
    >
      <TextField
        name="name"
        label="Company name"
        hint="Shown in invitations and when you choose a workspace."
        required
        key={name}
        autoComplete="organization"
        defaultValue={name}
        maxLength={100}
      />
      <Submit variant="outline">Save company name</Submit>
    </Form>
  )
}
