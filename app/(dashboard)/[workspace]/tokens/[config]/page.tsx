"use client"

import { clsx } from "clsx"
import { useParams } from "next/navigation.js"
import { lazy, type ReactNode, Suspense, useEffect, useId, useState } from "react"
import { RuleList } from "#app/(dashboard)/[workspace]/tokens/rule-list.tsx"
import { modeWords, type TokenView, useToken } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Breadcrumbs } from "#app/(dashboard)/breadcrumbs.tsx"
import { UrlTabs } from "#app/(dashboard)/tabs.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { TokenBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Failed, Loading, PageHeader } from "#app/components/frame.tsx"
import { Link, NewTab } from "#app/components/link.tsx"
import { Meter, Progress } from "#app/components/meter.tsx"
import { Timestamp, timeIn } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { grouped } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"
import { summariesOf } from "#shared/rules/fields.ts"
import { MoreActions } from "./more-actions.tsx"
import type { MoveKind } from "./move.tsx"

// Loaded while the token is read.
const loadHolders = async () => ({ default: (await import("./holder-list.tsx")).Holders })
const Holders = lazy(loadHolders)
const Operations = lazy(async () => ({ default: (await import("./operation-list.tsx")).Operations }))
const Register = lazy(async () => ({ default: (await import("./register-list.tsx")).Register }))
const Snapshots = lazy(async () => ({ default: (await import("./snapshot-list.tsx")).Snapshots }))
const Holds = lazy(async () => ({ default: (await import("./hold-list.tsx")).Holds }))

export default function Page() {
  const { config: id } = useParams<{ config: string }>()
  const { data: token, error, refetch } = useToken(id)
  useEffect(() => void loadHolders(), [])
  return (
    <>
      <Breadcrumbs of={[[["tokens"], "Tokens"]]} />
      {token ? (
        <TokenDetail token={token} />
      ) : (
        <>
          <PageHeader title={id} />
          {error ? <Failed error={error} onRetry={refetch} /> : <Loading what="Loading the token" lines={8} />}
        </>
      )}
    </>
  )
}

function TokenDetail({ token }: { token: TokenView }) {
  const { can } = useWorkspace()
  const path = usePath()
  return (
    <>
      <PageHeader
        title={token.name}
        heading={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span>
              {token.name} <span className="font-normal text-muted">{token.symbol}</span>
            </span>
            <TokenBadge token={token} />
          </span>
        }
        description={<Identity token={token} />}
        actions={
          <>
            {can("config:write") && (
              <Link href={path("tokens", token.id, "rules")} prefetch={false} className={buttonLook()}>
                Change rules
              </Link>
            )}
            {can("token:transfer") && <MoveSheet token={token} kind="transfer" />}
            {can("token:mint") && <MoveSheet token={token} kind="mint" />}
            {(can("config:write") || can("token:burn")) && <MoreActions token={token} />}
          </>
        }
      />
      <div className="space-y-5">
        <UnderWay token={token} />
        <div className="space-y-3">
          <Figures token={token} />
          <Rules token={token} />
        </div>
        <UrlTabs
          name="tab"
          label={`More about ${token.name}`}
          tabs={{
            holders: ["Holders", <Holders key="holders" token={token} />],
            operations: ["Operations", <Operations key="operations" token={token} />],
            holds: ["Holds", <Holds key="holds" token={token} />],
            register: ["Register", <Register key="register" token={token} />],
            snapshots: ["Snapshots", <Snapshots key="snapshots" token={token} />],
          }}
        />
      </div>
    </>
  )
}

const UnderWay = ({ token: { mint_state, reconciling, paused } }: { token: TokenView }) => (
  <div role="status">
    {mint_state === "creating" && (
      <Notice title="The token is being created on chain." value={null} label="Creating the mint">
        You can already mint: tokens are minted as soon as it exists.
      </Notice>
    )}
    {reconciling && (
      <Notice
        title={`${reconciling.done} of ${reconciling.total} accounts updated to the new rules.`}
        value={reconciling.total === 0 ? null : reconciling.done / reconciling.total}
        label="Accounts updated"
      >
        {paused
          ? "The rest follow automatically."
          : "The rest follow automatically. While balances are read from the chain, nothing is minted, moved or redeemed."}
      </Notice>
    )}
  </div>
)

type NoticeProps = { title: string; value: number | null; label: string; children: string }

const Notice = ({ title, value, label, children }: NoticeProps) => (
  <div className="rounded-xl border border-notice-line bg-notice-soft p-4 text-sm text-notice">
    <p className="font-medium">{title}</p>
    <Progress className="my-2.5" label={label} value={value} />
    <p className="text-[13px]">{children}</p>
  </div>
)

type FoldedProps = {
  title: string
  summary: string
  /** Whether a wide screen shows the content without the title and the button. */
  isOpenOnWide?: boolean
  children: ReactNode
}

/** A card that is folded to its summary, so that the tabs below it are in sight. */
function Folded({ title, summary, isOpenOnWide = false, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <Card
      title={title}
      description={!isOpen && <span className="line-clamp-2 md:line-clamp-1">{summary}</span>}
      className={clsx(
        "md:py-3! [&>header]:flex-nowrap",
        !isOpen && "[&>header]:mb-0",
        isOpenOnWide
          ? "md:[&>header]:sr-only"
          : "md:[&>header]:items-center md:[&>header>div:first-child]:flex md:[&>header>div:first-child]:items-baseline md:[&>header>div:first-child]:gap-4 md:[&_h2]:shrink-0",
      )}
      actions={
        <Button
          size="sm"
          variant="ghost"
          className={clsx(isOpenOnWide && "md:hidden")}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"}
          <span className="sr-only"> {title.toLowerCase()}</span>
        </Button>
      }
    >
      <div id={id} className={clsx(!isOpen && (isOpenOnWide ? "max-md:hidden" : "hidden"))}>
        {children}
      </div>
    </Card>
  )
}

/** A figure in the row of a wide screen, with its number next to its label. */
const column = "md:min-w-48 md:[&>p]:justify-start"

function Figures({ token }: { token: TokenView }) {
  const { rules, supply, issued, holders, investors } = token
  return (
    <Folded title="Figures" summary={`${grouped(supply)} ${token.symbol}, ${countOf(holders, "holder")}`} isOpenOnWide>
      <div className="space-y-5 md:flex md:flex-wrap md:gap-x-10 md:gap-y-3 md:space-y-0">
        <Meter
          className={column}
          label="Supply"
          used={supply}
          limit={rules.max_supply ?? null}
          unit={token.symbol}
          hint={issued === supply ? undefined : `${issued} including mints in progress, which count towards the limit.`}
        />
        <Meter
          className={column}
          label="Holders"
          used={holders}
          limit={rules.max_holders ?? null}
          hint={token.transfer_mode === "holder" ? "Counts only transfers through Vouch." : undefined}
        />
        {investors !== null && (
          <Meter className={column} label="Investors" used={investors} limit={rules.max_investors ?? null} />
        )}
      </div>
    </Folded>
  )
}

/** What identifies the token, in one line under its name. */
const Identity = ({ token }: { token: TokenView }) => (
  <span className="flex flex-wrap items-center gap-x-4">
    <code className="font-mono text-[13px]">{token.id}</code>
    <span>{countOf(token.decimals, "decimal")}</span>
    <span className="flex items-center gap-x-1.5">
      Mint <MintAddress token={token} />
    </span>
    <span>
      Created <Timestamp at={token.created_at} />
    </span>
  </span>
)

function MintAddress({ token: { mint, mint_state, explorer } }: { token: TokenView }) {
  if (mint === null) return mint_state === "none" ? "is created on first use" : "is on its way"
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Copyable value={mint} what="mint address" compact />
      {explorer !== null && (
        <NewTab
          href={explorer.replace("{}", `address/${mint}`)}
          className="inline-flex items-center gap-1 text-accent underline-offset-4 hover:underline"
        >
          Explorer
        </NewTab>
      )}
    </span>
  )
}

function Rules({ token: { required_schema, rules, transfer_mode } }: { token: TokenView }) {
  const zone = useTimeZone()
  const limits = summariesOf(rules, { now: new Date(), formatTime: (time) => timeIn(zone, time) })
  return (
    <Folded title="Rules" summary={[modeWords[transfer_mode].summary, ...limits.map(({ text }) => text)].join(" ")}>
      <RuleList schema={required_schema} rules={rules} transferMode={transfer_mode} dense />
    </Folded>
  )
}

// Loaded right after the page, which does not need it to render.
const load = () => import("./move.tsx")
const Move = lazy(load)

const copy = {
  mint: { verb: "Mint", describe: "Creates new tokens in a verified wallet. All rules are checked first." },
  transfer: { verb: "Transfer", describe: "Moves tokens between two verified wallets. All rules are checked first." },
} as const

/** Mints or transfers: the form with the rules check, then the progress of the operation. */
function MoveSheet({ token, kind }: { token: TokenView; kind: MoveKind }) {
  const { verb, describe } = copy[kind]
  const { isOpen: opens, setOpen, wallet } = useFormInAddress(kind)
  useEffect(() => void load(), [])
  return (
    <Dialog
      kind="right"
      opens={opens}
      {...(opens && { onClose: () => setOpen(false) })}
      trigger={<Button variant={kind === "mint" ? "primary" : "outline"}>{verb}</Button>}
      title={`${verb} ${token.symbol}`}
      description={describe}
    >
      <Suspense fallback={<Loading what="Loading the form" />}>
        <Move key={wallet} token={token} kind={kind} to={wallet} />
      </Suspense>
    </Dialog>
  )
}
