"use client"

import { useParams } from "next/navigation.js"
import { useState } from "react"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { type Step, Steps } from "#app/(dashboard)/steps.tsx"
import {
  InvestorLink,
  To,
  useMutation,
  usePath,
  usePolling,
  useQuery,
  useWorkspace,
} from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Card, Facts, Loaded } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { countOf } from "#shared/counts.ts"
import { reasonNames } from "#shared/movements.ts"
import { Positions, type Recovery, type RecoveryView } from "../positions.tsx"
import { ChooseWallet } from "./choose-wallet.tsx"

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const query = usePolling("recovery.view", { id }, ({ recovery }) => recovery.state !== "in_progress")
  // Loaded first, so that the tokens' names move nothing.
  const isLoading = useQuery("mintConfig.list", {}).isLoading
  return (
    <DetailPage
      up={[["investors"], "Investors"]}
      between={({ investor, recovery }) => [["investors", investor.investor_id], personOf(investor, recovery)]}
      name="Recovery"
      query={isLoading ? { ...query, data: undefined } : query}
      head={({ recovery, investor }) => ({
        heading: `Recovery of ${personOf(investor, recovery)}’s wallet`,
        badge: <StatusBadge status={recovery.state} />,
        actions: isCancellable(recovery) && <Cancel recovery={recovery} />,
      })}
    >
      {(view) => <RecoveryParts key={view.recovery.recovery_id} view={view} />}
    </DetailPage>
  )
}

const personOf = ({ external_id }: RecoveryView["investor"], { lost_wallet }: Recovery): string =>
  nameOf({ external_id, user_pubkey: lost_wallet })

/** Whether a new wallet can be chosen now: at first, and again after a recovery that did not succeed. */
const needsWallet = ({ recovery: { state }, is_barred, later }: RecoveryView): boolean =>
  later === null && (state === "barred" || ((state === "rejected" || state === "failed") && is_barred))

function RecoveryParts({ view }: { view: RecoveryView }) {
  const { can } = useWorkspace()
  const { recovery, candidates } = view
  const [clicked, setClicked] = useState<string | null>(null)
  const possible = candidates.filter(({ refusal }) => refusal === null)
  const chosen =
    possible.find(({ user_pubkey }) => user_pubkey === (clicked ?? recovery.new_wallet)) ??
    (possible.length === 1 ? possible[0] : undefined)
  const newWallet = chosen?.user_pubkey ?? null
  const isChoosing = needsWallet(view)
  return (
    <TwoColumns
      wide={
        <>
          <Card title="Next step">
            <div className="space-y-4">
              <Situation view={view} />
              {isChoosing &&
                (can("investor:recover") ? (
                  <ChooseWallet view={view} chosen={newWallet} onChoose={setClicked} />
                ) : (
                  <p>Your role cannot move its tokens. An owner, a developer or a compliance officer can.</p>
                ))}
            </div>
          </Card>
          <Card title="Tokens of the lost wallet">
            {isChoosing ? (
              <Preview id={recovery.recovery_id} newWallet={newWallet} />
            ) : (
              <Positions positions={recovery.positions} />
            )}
          </Card>
        </>
      }
      narrow={
        <>
          <Card title="Progress">
            <Steps steps={stepsOf(view)} />
          </Card>
          <Card title="Details">
            <Details view={view} />
          </Card>
        </>
      }
    />
  )
}

/** What would move, and what would keep it from moving to the chosen wallet. */
function Preview({ id, newWallet }: { id: string; newWallet: string | null }) {
  const query = useQuery("recovery.preview", { id, new_wallet: newWallet }, { keep: true })
  return (
    <Loaded query={query} what="the tokens">
      {({ positions }) => <Positions positions={positions} isStatic />}
    </Loaded>
  )
}

/** Where the recovery is, in a sentence or two, with what to do about it. */
function Situation({ view }: { view: RecoveryView }) {
  const path = usePath()
  const { recovery, is_barred, later } = view
  const { state, error, positions, approval_id } = recovery
  if (later !== null) {
    return (
      <p>
        {error?.detail}{" "}
        <To path={["recoveries", later]} className="rounded-sm text-accent underline underline-offset-2">
          A later recovery of the same wallet
        </To>{" "}
        replaces this one.
      </p>
    )
  }
  switch (state) {
    case "barred":
      return <p>The lost wallet is stopped: nothing enters or leaves it, and no one can verify it.</p>
    case "awaiting_approval":
      return (
        <>
          <p>
            Another member must approve this recovery. Nothing moves before that, and the lost wallet stays stopped.
          </p>
          {approval_id !== null && (
            <Link href={path("approvals", approval_id)} prefetch={false} className={buttonLook()}>
              Open the request
            </Link>
          )}
        </>
      )
    case "in_progress": {
      const blocked = positions.filter(({ blocked_by }) => blocked_by !== null).length
      return (
        <p role="status">
          {blocked === 0
            ? "The tokens are moving, each by its own operation. You can leave this page."
            : `${countOf(blocked, "position")} cannot move yet. Remove what blocks it, and Vouch continues by itself.`}
        </p>
      )
    }
    case "completed":
      return <p role="status">Everything is in the new wallet. The lost wallet stays stopped permanently.</p>
    case "rejected":
      return (
        <>
          <p>{error?.detail}</p>
          <p>
            {is_barred
              ? "Nothing has moved, and the lost wallet is still stopped. Request it again, or cancel the recovery."
              : "Nothing has moved, and the wallet is no longer reported as lost."}
          </p>
        </>
      )
    case "failed":
      return (
        <>
          <p className="text-danger">{error?.detail}</p>
          <p>
            The lost wallet is still stopped. What has moved stays in the new wallet. Request it again for the rest.
          </p>
        </>
      )
  }
}

function stepsOf({ recovery, is_barred, approvals_needed }: RecoveryView): Step[] {
  const { state, created_at, new_wallet, approval_id, begun_at, ended_at, error } = recovery
  const hasBegun = begun_at !== null
  const isOver = state === "rejected" || state === "failed"
  const failed = { state: "failed", note: error?.detail, at: ended_at } as const
  const ahead = { state: "ahead", at: null } as const
  const approval: Step =
    state === "awaiting_approval"
      ? { name: "Approval", at: null, state: "waiting", note: "Waits for another member." }
      : hasBegun
        ? { name: "Approved", at: begun_at, state: "done" }
        : { name: "Approval", ...(isOver && approval_id !== null ? failed : ahead) }
  const isRefusedBefore = isOver && !hasBegun && approval_id === null
  const moved: Step =
    state === "completed"
      ? { name: "Tokens moved", at: ended_at, state: "done" }
      : state === "in_progress"
        ? { name: "Tokens moving", at: begun_at, state: "current" }
        : { name: "Tokens moved", ...(isOver && hasBegun ? failed : ahead) }
  return [
    {
      name: "Reported as lost",
      at: created_at,
      state: "done",
      note: is_barred ? "Nothing enters or leaves the wallet." : "The bar was lifted.",
    },
    new_wallet === null
      ? { name: "New wallet", ...(isRefusedBefore ? failed : { state: "waiting", at: null }) }
      : {
          name: state === "barred" ? "New wallet" : "New wallet chosen",
          at: null,
          state: state === "barred" ? "waiting" : isRefusedBefore ? "failed" : "done",
          note: isRefusedBefore ? error?.detail : <Shortened value={new_wallet} />,
        },
    ...(approval_id !== null || (approvals_needed > 0 && !hasBegun) ? [approval] : []),
    moved,
  ]
}

const Details = ({ view: { recovery, investor } }: { view: RecoveryView }) => (
  <Facts
    facts={{
      Investor: <InvestorLink investor={investor} />,
      "Lost wallet": <Copyable value={recovery.lost_wallet} what="lost wallet" compact />,
      "New wallet": recovery.new_wallet && <Copyable value={recovery.new_wallet} what="new wallet" compact />,
      Reason: reasonNames[recovery.reason_code],
      Reference: <span className="wrap-anywhere">{recovery.reference}</span>,
      Document: recovery.document_sha256 ? (
        <Copyable value={recovery.document_sha256} what="document hash" compact whole />
      ) : (
        "None"
      ),
      "Stopped since": recovery.barred_since && <Timestamp at={recovery.barred_since} />,
      // While it waits, the next step has the link.
      Approval: recovery.approval_id && recovery.state !== "awaiting_approval" && (
        <To path={["approvals", recovery.approval_id]}>Open the request</To>
      ),
      "Recovery id": <Copyable value={recovery.recovery_id} what="recovery id" compact />,
    }}
  />
)

/** Whether the bar can still be lifted: no token has begun to move. */
const isCancellable = ({ state, barred_since }: Recovery): boolean =>
  state === "barred" || state === "awaiting_approval" || (state === "rejected" && barred_since !== null)

function Cancel({ recovery: { recovery_id } }: { recovery: Recovery }) {
  const { can } = useWorkspace()
  const cancel = useMutation((api) => api.recovery.cancel.mutate({ id: recovery_id }))
  if (!can("investor:recover")) return null
  return (
    <Confirm
      trigger={<Button>Cancel recovery</Button>}
      title="Cancel this recovery?"
      description="The wallet is no longer reported as lost: tokens can enter and leave it again. Only do this if the investor still has its key."
      confirm="Cancel recovery"
      dismiss="Keep the wallet stopped"
      word="CANCEL"
      onConfirm={async () => {
        await cancel.mutateAsync()
        notify("Cancelled. The wallet is no longer reported as lost.")
      }}
    />
  )
}
