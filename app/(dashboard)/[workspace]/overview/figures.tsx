import { Check } from "lucide-react"
import { type ReactNode, useState } from "react"
import { type RouterOutputs, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { MeterBar } from "#app/components/meter.tsx"
import { Notice } from "#app/components/notice.tsx"
import { remember, remembered } from "#app/components/storage.ts"
import { Ago } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { grouped, solOf } from "#shared/amount.ts"
import type { Permission } from "#shared/scopes.ts"

type Overview = RouterOutputs["overview"]["get"]

const percent = new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 1 })
const sols = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 })
const count = new Intl.NumberFormat("en-GB")

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

/** How much of the plan this month has used. */
export function Usage({ quota: { used, included, remaining, plan, period_end } }: { quota: Overview["quota"] }) {
  const { mode } = useWorkspace()
  const name = "Attestations this month"
  return (
    <Figure
      name={name}
      value={count.format(used)}
      {...(included !== null && { of: `of ${count.format(included)}` })}
      note={
        <>
          {included !== null && <MeterBar label={name} used={used} limit={included} className="mb-1.5" />}
          {remaining === null ? "No limit" : `${count.format(remaining)} left`}{" "}
          {mode === "test" ? "in test mode, on any plan" : `on the ${plan} plan`}. Resets on{" "}
          {day.format(new Date(period_end))} (UTC).
        </>
      }
      className="max-lg:col-span-2"
    />
  )
}

/** The share of started verifications that became verified, and how long that took. */
export const Conversion = ({ figures: { started, verified, median_seconds } }: { figures: Overview["figures"] }) => (
  <>
    <Figure
      name="Started to verified"
      value={started === 0 ? "–" : percent.format(verified / started)}
      note={`${count.format(verified)} of ${count.format(started)} in 30 days`}
    />
    <Figure
      name="Median time to verify"
      value={median_seconds === null ? "–" : duration(median_seconds)}
      note="from session start to on-chain confirmation"
    />
  </>
)

type FigureProps = { name: string; value: string; of?: string; note: ReactNode; className?: string }

const Figure = ({ name, value, of, note, className }: FigureProps) => (
  <div className={className}>
    <dt className="font-medium">{name}</dt>
    <dd className="mt-1 flex items-baseline gap-1.5 text-2xl font-semibold tracking-tight">
      {value}
      {of && <span className="text-sm font-normal tracking-normal text-muted">{of}</span>}
    </dd>
    <dd className="mt-0.5 text-[13px] text-muted">{note}</dd>
  </div>
)

const UNITS = [
  { name: "d", seconds: 86_400 },
  { name: "h", seconds: 3600 },
  { name: "min", seconds: 60 },
] as const

/** `3.4 s`, `12 min`, `5 h`: as exact as a reader needs. */
function duration(seconds: number): string {
  const unit = UNITS.find((one) => seconds >= one.seconds)
  if (!unit) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const value = seconds / unit.seconds
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${unit.name}`
}

export const IssuerBalance = ({ issuer }: { issuer: Overview["issuer"] }) => (
  <Line name="Fee payer’s SOL">
    {issuer === null ? (
      <span className="text-muted">No chain is configured</span>
    ) : issuer.sol === null ? (
      <span className="text-muted">Chain unreachable</span>
    ) : (
      <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
        {issuer.low && <Badge tone="bad">Low: add</Badge>}
        {sols.format(issuer.sol)} SOL
      </span>
    )}
  </Line>
)

export function ChainCosts({ chain }: { chain: Overview["quota"]["chain"] }) {
  const { fee_lamports, rent_lamports, budget_lamports } = chain
  const total = (BigInt(fee_lamports) + BigInt(rent_lamports)).toString()
  return (
    <Line name="Cost this month">
      <Sol of={total} /> {budget_lamports !== null && `of ${grouped(solOf(budget_lamports))} `}SOL
      <span className="block text-[13px] text-muted">
        <Sol of={fee_lamports} /> in fees, <Sol of={rent_lamports} /> for accounts
      </span>
    </Line>
  )
}

const shortSols = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 })

/** Lamports in SOL, as exact as a reader needs, and whole on hover. */
const Sol = ({ of }: { of: string }) => (
  <span title={`${grouped(solOf(of))} SOL`}>{shortSols.format(Number(solOf(of)))}</span>
)

const checks = { database: "Database", chain: "Chain", worker: "Worker" } as const

/** One line while all is well, else one for each system that is not. */
export function Health({ checks: states }: { checks: Overview["checks"] }) {
  const failing = Object.entries(checks).filter(([check]) => states[check as keyof typeof checks] !== "ok")
  if (failing.length === 0) {
    return (
      <Line name="Systems">
        <Badge tone="good">All systems OK</Badge>
      </Line>
    )
  }
  return failing.map(([check, name]) => (
    <Line key={check} name={name}>
      <span className="text-danger">
        <WithCommands>{states[check as keyof typeof checks]}</WithCommands>
      </span>
    </Line>
  ))
}

/** When the workspace was last compared with the chain, and what to do if they differ. */
export const LastReconciliation = ({ audit }: { audit: Overview["ledger"]["audit"] }) => (
  <Line name="Last reconciliation">
    {audit === null ? (
      <span className="text-muted">None yet</span>
    ) : (
      <>
        <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
          <Badge tone={audit.differences === 0 ? "good" : "bad"}>
            {audit.differences === 0
              ? "No differences"
              : audit.differences === 1
                ? "1 difference"
                : `${count.format(audit.differences)} differences`}
          </Badge>
          <Ago at={audit.at} />
        </span>
        {audit.differences > 0 && (
          <span className="block text-[13px] text-muted">
            <WithCommands>
              Your records and the chain differ. Ask the administrator of this server to run `vouch ledger audit`: it
              lists each difference.
            </WithCommands>
          </span>
        )}
      </>
    )}
  </Line>
)

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-[13px] text-muted">{name}</dt>
    <dd className="mt-1">{children}</dd>
  </div>
)

type Quarantine = NonNullable<RouterOutputs["overview"]["get"]["ledger"]["quarantine"]>

const copy: Record<Quarantine["of"], { title: string; why: string; next: string }> = {
  mode: {
    title: "Minting is on hold while Vouch compares its records with the chain",
    why: "The database was restarted or restored. Nothing is signed until Vouch knows what is already on chain.",
    next: "This usually ends by itself within minutes. If it does not, ask the administrator of this server to run `vouch ledger reconcile`: it shows what is missing.",
  },
  workspace: {
    title: "Minting is on hold until an administrator decides",
    why: "After a restore, the chain has transactions that your records do not explain. Nothing is signed for this workspace until they are resolved.",
    next: "Ask the administrator of this server to run `vouch ledger reconcile`: it lists the transactions and the ways to go on.",
  },
}

/** Why nothing is being signed, what that means, and what to do. */
export function QuarantineBanner({ quarantine: { of, reason } }: { quarantine: Quarantine }) {
  const { title, why, next } = copy[of]
  return (
    <Notice title={title}>
      <div className="mt-1.5 space-y-1.5 wrap-anywhere">
        <p>{why}</p>
        {of === "mode" && (
          <p>
            Status: <WithCommands>{reason}</WithCommands>.
          </p>
        )}
        <p>
          You can still read everything and revoke. A revocation counts in Vouch at once, and reaches the chain when
          signing resumes. Minting, transfers and approvals are refused: retry them later.
        </p>
        <p>
          <WithCommands>{next}</WithCommands>
        </p>
      </div>
    </Notice>
  )
}

/** A sentence with commands between backticks. */
const WithCommands = ({ children }: { children: string }) =>
  children.split("`").map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <code key={part} className="font-mono text-[13px] whitespace-nowrap">
        {part}
      </code>
    ),
  )

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
