import type { UseQueryResult } from "@tanstack/react-query"
import { FreezeNote } from "#app/(dashboard)/freeze-note.tsx"
import { StandingBadge } from "#app/(dashboard)/person-picker.tsx"
import { type RouterOutputs, To, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type Counted, everyoneVerified, someUnverified, whatToDo } from "./register-words.ts"

type Register = RouterOutputs["token"]["registerView"]
type Row = Register["data"][number]

type UnverifiedProps = {
  query: Pick<UseQueryResult<RouterOutputs["token"]["registerCounts"]>, "data" | "error" | "refetch">
  /** What the rows are. */
  counted: Counted
  /** Whether the register is that of the last final moment. */
  isNow: boolean
  /** Lists only these; null if it already does. */
  onShow: (() => void) | null
}

/** How many holders were not verified, and what to do about it. Counting takes longer than a page, so it does not wait. */
export function Unverified({ query: { data: counts, error, refetch }, counted, isNow, onShow }: UnverifiedProps) {
  if (error) {
    return (
      <p role="alert" className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-[13px] text-notice">
        The holders who are not verified could not be counted.
        <Button size="sm" onClick={() => void refetch()}>
          Try again
        </Button>
      </p>
    )
  }
  if (!counts) return <p className="mb-3 text-[13px] text-muted">Counting holders who are not verified…</p>
  const { holders, unverified } = counts
  if (holders === 0) return null
  const advice = isNow
    ? whatToDo(counts)
    : "Each status is that of this moment. Freezes that were lifted since are only in the audit log."
  if (unverified === 0) {
    return (
      <p role="status" className="mb-3 text-[13px] text-muted">
        {everyoneVerified(counts, isNow, counted)} {!isNow && advice}
      </p>
    )
  }
  return (
    <div
      role="status"
      className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice"
    >
      <p className="min-w-0 flex-1 basis-72">
        <span className="font-medium">{someUnverified(counts, isNow, counted)}</span> {advice}
      </p>
      {onShow && (
        <Button size="sm" onClick={onShow}>
          Show only these
        </Button>
      )}
    </div>
  )
}

type StandingProps = {
  of: Row
  /** The schema to verify a wallet for again; null if the moment has passed. */
  schema: string | null
}

/** Whether all wallets of a row were verified. */
export function Verification({ of: { wallet, wallets, unverified, standing }, schema }: StandingProps) {
  if (unverified === 0) return <StatusBadge status="verified" />
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {standing ? (
        <StandingBadge of={standing} />
      ) : (
        <Badge tone="bad" className="whitespace-normal!">
          {unverified} of {wallets} wallets not verified
        </Badge>
      )}
      {schema !== null && standing && wallet !== null && (
        <VerifyAgain wallet={wallet} status={standing.status} schema={schema} />
      )}
    </span>
  )
}

/** What freezes the wallets of a row. */
export const Freezes = ({ of: { standing, freezes } }: { of: Row }) =>
  standing ? (
    <FreezeNote freezes={freezes} />
  ) : (
    // Its wallets below say since when and why.
    freezes.length > 0 && <span className="mt-1 block text-xs font-medium text-notice">Has a frozen wallet</span>
  )

type VerifyAgainProps = { wallet: string; status: NonNullable<Row["standing"]>["status"]; schema: string }

/** Starts a session for a wallet, unless one is under way. */
function VerifyAgain({ wallet, status, schema }: VerifyAgainProps) {
  const { can } = useWorkspace()
  if (status === "pending" || status === "in_review" || !can("kyc:write")) return null
  return (
    <To
      path={["sessions"]}
      query={`?${new URLSearchParams({ wallet, schema })}`}
      className="rounded-sm text-[13px] text-accent hover:underline"
    >
      Start a session<span className="sr-only"> for {wallet}</span>
    </To>
  )
}
