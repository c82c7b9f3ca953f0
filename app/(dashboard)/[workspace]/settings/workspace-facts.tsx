"use client"

import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { useMutation, useQuery, useRefresh, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { createApi } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Field, Form, Submit } from "#app/components/form.tsx"
import { Failed, Loading } from "#app/components/states.tsx"
import { notify } from "#app/components/toast.ts"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { Dialog, DialogClose, DialogContent, DialogFooter } from "#app/components/ui/dialog.tsx"
import { Input } from "#app/components/ui/input.tsx"
import type { Leftovers } from "#server/domain/people/members.ts"
import { AccountSecurity } from "./account-security.tsx"
import { HostedPage } from "./hosted-page.tsx"
import { Reminders } from "./reminders.tsx"

const plans = { free: "Free", growth: "Growth", enterprise: "Enterprise" } as const

/** What this workspace is, and what it runs on. Owners change the account's name. */
export function WorkspaceFacts() {
  const { can } = useWorkspace()
  const { data, error, refetch } = useQuery(["workspace"], (api, signal) =>
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
            Mode: (
              <Badge tone={mode === "live" ? "good" : "notice"}>{mode === "live" ? "Live" : "Test"}</Badge>
            ),
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

/** The company's name, as its people, its invitations and the command line know it. */
function AccountName({ name }: { name: string }) {
  const client = useQueryClient()
  const rename = useMutation((api, name: string) => api.workspace.renameAccount.mutate({ name }), {
    refresh: ["workspace"],
    quiet: true,
  })
  return (
    <Form
      className="mt-4"
      onSubmit={async (values) => {
        await rename.mutateAsync(String(values.get("name")).trim())
        await client.invalidateQueries({ queryKey: ["me"] })
        notify("Company name saved")
      }}
    >
      <Field
        name="name"
        label="Company name"
        hint="Shown in invitations and when you choose a workspace."
        required
      >
        <Input key={name} autoComplete="organization" defaultValue={name} maxLength={100} />
      </Field>
      <Submit variant="outline">Save company name</Submit>
    </Form>
  )
}

/** A member who was removed or demoted. */
export type Less = Leftovers & { member: { user_id: string; name: string } }

/** The active keys whose secrets that member saw, to revoke one by one or all at once. */
export function KnownKeys({ member, keys, onClose }: Less & { onClose: () => void }) {
  const [revoked, setRevoked] = useState<ReadonlySet<string>>(new Set())
  const refresh = useRefresh()
  const revoke = useMutation(
    // A key may be of the other workspace than this page.
    (_api, { key_id, workspace_id }: Less["keys"][number]) =>
      createApi({ "x-vouch-workspace": workspace_id }).key.revoke.mutate({ key_id }),
  )
  const revokeAll = useMutation((api) => api.member.revokeKeys.mutate({ user_id: member.user_id }))
  const left = keys.filter(({ key_id }) => !revoked.has(key_id))
  const note = (...ids: string[]) => {
    setRevoked((before) => new Set([...before, ...ids]))
    void refresh("keys")
  }
  return (
    <Dialog open onOpenChange={(isOpen) => isOpen || onClose()}>
      <DialogContent
        title={`API keys ${member.name} knows`}
        description={`${member.name} created or rotated these keys and saw their secrets. They keep working until you revoke them. Give your servers new keys first.`}
      >
        <ul aria-label="API keys" className="mt-4 divide-y divide-line border-y border-line">
          {keys.map((key) => (
            <li key={key.key_id} className="flex items-center justify-between gap-3 py-2.5">
              <div className="min-w-0">
                <span className="font-medium">{key.name}</span>{" "}
                <Badge tone={key.mode === "live" ? "good" : "notice"}>
                  {key.mode === "live" ? "Live" : "Test"}
                </Badge>
                <code className="block font-mono text-xs text-muted">{key.start}…</code>
              </div>
              {revoked.has(key.key_id) ? (
                <span className="text-muted">Revoked</span>
              ) : (
                <Button
                  size="sm"
                  variant="danger"
                  aria-label={`Revoke ${key.name} (${key.mode})`}
                  pending={revoke.isPending && revoke.variables.key_id === key.key_id}
                  onClick={() => revoke.mutate(key, { onSuccess: () => note(key.key_id) })}
                >
                  Revoke
                </Button>
              )}
            </li>
          ))}
        </ul>
        <DialogFooter>
          <DialogClose>
            <Button>{left.length === 0 ? "Done" : "Keep the rest"}</Button>
          </DialogClose>
          {left.length > 1 && (
            <Button
              variant="danger"
              pending={revokeAll.isPending}
              onClick={() =>
                revokeAll.mutate(undefined, { onSuccess: () => note(...keys.map(({ key_id }) => key_id)) })
              }
            >
              Revoke all {left.length}
            </Button>
          )}
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
