import { useQueryClient } from "@tanstack/react-query"
import { type RouterOutputs, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Form, Submit, TextField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Card, Facts, Failed, Loaded, Loading } from "#app/components/frame.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { HostedPage } from "./hosted-page.tsx"

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
      <Card title="This workspace">
        <Facts
          facts={{
            Mode: <Badge tone={mode === "live" ? "good" : "notice"}>{mode === "live" ? "Live" : "Test"}</Badge>,
            "Workspace id": <Copyable value={id} what="the workspace’s id" compact />,
            "Base URL": <Copyable value={base_url} what="the base URL" compact whole />,
            "KYC provider": provider ?? "None is configured for this mode",
            Cluster: chain?.cluster ?? "None is configured for this mode",
            Issuer: chain && <Copyable value={chain.authority} what="the issuer’s address" compact />,
            "Fee payer": chain && <Copyable value={chain.fee_payer} what="the fee payer’s address" compact />,
          }}
        />
      </Card>
      <AccountSecurity account={account} />
      <Reminders />
      <div className="lg:col-span-2">
        <HostedPage company={account.name} />
      </div>
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

type Account = RouterOutputs["workspace"]["get"]["account"]

const SECOND_FACTOR = "Second factor for everyone"

/** What an account demands of its members, which its owners turn on and off. */
function AccountSecurity({ account }: { account: Account }) {
  const { can } = useWorkspace()
  const isOn = account.second_factor_required
  const set = useMutation((api) => api.workspace.requireSecondFactor.mutate({ required: !isOn }))
  const verb = isOn ? "Turn off" : "Turn on"
  return (
    <Card title="Security" description="For all members, in both workspaces.">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="min-w-0 flex-1 basis-56">
          <span className="flex items-center gap-2 font-medium">
            {SECOND_FACTOR}
            {isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
          </span>
          <span className="block text-[13px] text-muted">
            Members sign in with a passkey, or with a password and a code.
          </span>
        </span>
        {can("member:write") && (
          <Confirm
            trigger={
              <Button size="sm" aria-label={`${verb}: ${SECOND_FACTOR}`}>
                {verb}
              </Button>
            }
            title={`${verb}: second factor for everyone?`}
            description={
              isOn
                ? "Members can sign in with their password only."
                : "Members without a second factor are asked to set one up, and can do nothing else until then. API keys are not affected."
            }
            confirm={verb}
            danger={isOn}
            onConfirm={async () => {
              await set.mutateAsync()
              notify(`${SECOND_FACTOR}: ${isOn ? "off" : "on"}`)
            }}
          />
        )}
      </div>
    </Card>
  )
}

function Reminders() {
  const { can } = useWorkspace()
  const query = useQuery("workspace.reminders")
  const set = useMutation((api, on: boolean) => api.workspace.setReminders.mutate({ on }))
  return (
    <Card
      title="Renewal reminders"
      description="Investors who leave an email address get a link to renew before their verification expires. Each schema sets how many days before."
    >
      <Loaded query={query} what="the reminders" lines={2}>
        {(data) => (
          <div className="space-y-4">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={data.on ? "good" : "plain"}>{data.on ? "On" : "Off"}</Badge>
              {!data.mail && (
                <span className="text-notice">
                  This server cannot send email, so nothing is sent. Ask its administrator to set VOUCH_SMTP_URL.
                </span>
              )}
            </p>
            {can("schema:write") &&
              (data.on ? (
                <Confirm
                  trigger={<Button>Turn off</Button>}
                  title="Turn off renewal reminders?"
                  description="Nothing more is sent, and the email addresses that investors left are deleted. You cannot get them back."
                  confirm="Turn off"
                  onConfirm={() => set.mutateAsync(false)}
                />
              ) : (
                <Button pending={set.isPending} onClick={() => set.mutate(true)}>
                  Turn on
                </Button>
              ))}
          </div>
        )}
      </Loaded>
    </Card>
  )
}
