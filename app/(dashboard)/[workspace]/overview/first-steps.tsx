import { Check } from "lucide-react"
import { type ReactNode, useState } from "react"
import { type RouterOutputs, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Card } from "#app/components/layout.tsx"
import { remember, remembered } from "#app/components/storage.ts"
import { Button, buttonLook, Link } from "#app/components/ui/button.tsx"
import { Copyable } from "#app/components/values.tsx"
import type { Permission } from "#shared/scopes.ts"

type Overview = RouterOutputs["overview"]["get"]
type Step = {
  of: keyof Overview["setup"]
  name: string
  why: ReactNode
  /** Where members do it, and the scope they need. Null if the server's operator does it. */
  action: { name: string; section: string; needs: Permission } | null
}

const common: Step[] = [
  {
    of: "verification",
    name: "Start a verification",
    why: "A verification checks the person behind a wallet. Try it from here, then from your server.",
    action: { name: "Start a session", section: "sessions", needs: "kyc:write" },
  },
  {
    of: "key",
    name: "Create an API key",
    why: "Your server calls the API with it.",
    action: { name: "Create a key", section: "keys", needs: "key:write" },
  },
  {
    of: "mint",
    name: "Mint a token to a verified wallet",
    why: "The chain itself refuses all other wallets.",
    action: { name: "Open tokens", section: "tokens", needs: "token:mint" },
  },
  {
    of: "webhook",
    name: "Add a webhook endpoint",
    why: "Your systems learn what happens without polling.",
    action: { name: "Add an endpoint", section: "webhooks", needs: "webhooks:write" },
  },
]

/** Live mode needs a KYC provider and SOL for fees. */
const live = (issuer: Overview["issuer"]): Step[] => [
  {
    of: "provider",
    name: "Choose a KYC provider",
    why: (
      <>
        The server’s administrator sets <code className="font-mono text-[13px]">VOUCH_LIVE_PROVIDER</code>.
      </>
    ),
    action: null,
  },
  {
    of: "sol",
    name: "Send the fee payer SOL",
    why: issuer ? (
      <>
        It pays for every transaction: <Copyable compact value={issuer.fee_payer} what="the fee payer’s address" />
      </>
    ) : (
      <>
        The server’s administrator sets <code className="font-mono text-[13px]">SOLANA_RPC_URL</code> first.
      </>
    ),
    action: null,
  },
]

/** What a workspace still needs before it is useful. Disappears once all is done or the member hides it. */
export function FirstSteps({ overview: { setup, issuer }, isNew }: { overview: Overview; isNew: boolean }) {
  const { id, mode, can } = useWorkspace()
  const path = usePath()
  const [isHidden, setHidden] = useState(() => remembered(hiddenIn(id)) !== null)
  const steps = mode === "live" ? [...live(issuer), ...common] : common
  const next = steps.find(({ of, action }) => setup[of] === false && action !== null && can(action.needs))
  const left = steps.filter(({ of }) => setup[of] !== true).length
  if (left === 0 || isHidden) return null
  return (
    <Card
      title={isNew ? "First steps" : "Next steps"}
      description={`${steps.length - left} of ${steps.length} done`}
      actions={
        <>
          <Link href={path("developers")} className={buttonLook({ size: "sm" })}>
            Quick start
          </Link>
          <Button
            size="sm"
            variant="ghost"
            onClick={() => {
              remember(hiddenIn(id), "1")
              setHidden(true)
            }}
          >
            Hide
          </Button>
        </>
      }
    >
      <ol className="divide-y divide-line">
        {steps.map((step, at) => {
          const { of, name, why, action } = step
          const isDone = setup[of] === true
          return (
            <li key={of} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5 first:pt-0 last:pb-0">
              <Mark isDone={isDone}>{at + 1}</Mark>
              <div className="min-w-52 flex-1">
                <p className={isDone ? "text-muted" : "font-medium"}>
                  {name}
                  {isDone && <span className="sr-only"> (done)</span>}
                </p>
                {!isDone && <p className="text-[13px] text-muted">{why}</p>}
              </div>
              {!isDone && action !== null && can(action.needs) && (
                <Link
                  href={path(action.section)}
                  className={buttonLook({ size: "sm", variant: step === next ? "primary" : "outline" })}
                >
                  {action.name}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

const Mark = ({ isDone, children }: { isDone: boolean; children: number }) => (
  <span
    aria-hidden="true"
    className={
      isDone
        ? "flex size-6 shrink-0 items-center justify-center rounded-full bg-accent text-accent-ink"
        : "flex size-6 shrink-0 items-center justify-center rounded-full border border-field text-xs tabular-nums"
    }
  >
    {isDone ? <Check className="size-3.5" /> : children}
  </span>
)

/** Hidden in this browser only: a colleague may still want to see it. */
const hiddenIn = (workspaceId: string) => `vouch.first-steps-hidden.${workspaceId}`
