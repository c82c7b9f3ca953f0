import { useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { Api, RouterOutputs } from "#app/api.ts"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"

type Account = RouterOutputs["workspace"]["get"]["account"]

const FOUR_EYES = "Four eyes for reviews"

/** Security requirements of an account, which its owners turn on and off. */
const demands = [
  {
    name: "Second factor for everyone",
    text: "Members sign in with a passkey, or with a password and a code.",
    on: "Members without a second factor are asked to set one up, and can do nothing else until then. API keys are not affected.",
    off: "Members can sign in with their password only.",
    isOn: (account: Account) => account.second_factor_required,
    set: (api: Api, required: boolean): Promise<unknown> => api.workspace.requireSecondFactor.mutate({ required }),
  },
  {
    name: FOUR_EYES,
    text: "A second member confirms each decision before it takes effect.",
    on: "Every decision of a review waits until another member confirms it. The member who asks for it cannot confirm it.",
    off: "Another member who decides reviews has to confirm this within seven days. Until then it stays on.",
    isOn: (account: Account) => account.four_eyes,
    set: (api: Api, required: boolean): Promise<unknown> => api.workspace.requireFourEyes.mutate({ required }),
  },
] as const

/** How the account is protected from mistakes by its members. */
export function AccountSecurity({ account }: { account: Account }) {
  return (
    <Card title="Security" description="For all members, in both workspaces.">
      <ul className="-my-2 divide-y divide-line">
        {demands.map((demand) => (
          <Demand key={demand.name} demand={demand} account={account} />
        ))}
      </ul>
    </Card>
  )
}

function Demand({ demand, account }: { demand: (typeof demands)[number]; account: Account }) {
  const { can } = useWorkspace()
  const { name, text, on, off } = demand
  const isOn = demand.isOn(account)
  const request = name === FOUR_EYES ? account.four_eyes_off : null
  const set = useMutation((api) => demand.set(api, !isOn))
  const verb = isOn ? "Turn off" : "Turn on"
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <span className="min-w-0 flex-1 basis-56">
        <span className="flex items-center gap-2 font-medium">
          {name}
          {isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
        </span>
        <span className="block text-[13px] text-muted">{text}</span>
        {request && <Waiting request={request} />}
      </span>
      {request && <AnswerRequest request={request} />}
      {can("member:write") && !request && (
        <Confirm
          trigger={
            <Button size="sm" aria-label={`${verb}: ${name}`}>
              {verb}
            </Button>
          }
          title={`${verb}: ${name.charAt(0).toLowerCase() + name.slice(1)}?`}
          description={isOn ? off : on}
          confirm={verb}
          danger={isOn}
          onConfirm={async () => {
            await set.mutateAsync()
            notify(isOn && name === FOUR_EYES ? "Asked for a confirmation" : `${name}: ${isOn ? "off" : "on"}`)
          }}
        />
      )}
    </li>
  )
}

type Request = NonNullable<Account["four_eyes_off"]>

function Waiting({ request: { by, is_own, until } }: { request: Request }) {
  return (
    <span className="mt-1 block text-[13px] text-notice">
      {is_own ? "You asked" : `${by} asked`} to turn this off. Another member who decides reviews can confirm it until{" "}
      <Timestamp at={until} />.
    </span>
  )
}

/** Confirms or withdraws the request to turn four eyes off. */
function AnswerRequest({ request: { by, is_own } }: { request: Request }) {
  const { can } = useWorkspace()
  const turnOff = useMutation((api) => api.workspace.turnOffFourEyes.mutate({}))
  const keep = useMutation((api) => api.workspace.requireFourEyes.mutate({ required: true }))
  return (
    <span className="flex flex-wrap gap-2">
      {can("member:write") && (
        <Button size="sm" onClick={() => keep.mutate()} disabled={keep.isPending}>
          Keep it on
        </Button>
      )}
      {can("review:write") && !is_own && (
        <Confirm
          trigger={<Button size="sm">Confirm</Button>}
          title="Turn off four eyes for reviews?"
          description={`${by} asked for it. Decisions then take effect at once. Decisions already waiting still need another member.`}
          confirm="Turn off"
          danger
          onConfirm={async () => {
            await turnOff.mutateAsync()
            notify(`${FOUR_EYES}: off`)
          }}
        />
      )}
    </span>
  )
}
