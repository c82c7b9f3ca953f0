import { type ReactNode, useEffect, useRef, useState } from "react"
import { To, useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Progress } from "#app/components/meter.tsx"
import type { Selection } from "#app/components/selection.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { AttestationSummary, BulkRevocation } from "#domain/attestations"
import { MOST_REVOKED_TOGETHER } from "#shared/bulk.ts"
import { countOf } from "#shared/counts.ts"
import type { RevocationFailure } from "#shared/statuses.ts"
import { newKey } from "../tokens/idempotency-key.ts"
import { ReasonFields, reasonsIn } from "./reason-fields.tsx"

const failureCopy = {
  attestation_not_found: "not found in this workspace",
  insufficient_scope: "the person who started this may no longer revoke",
  review_open: "it has an open review, which two members must decide",
  internal_error: "failed several times. Try to revoke it on its own",
} as const satisfies Record<RevocationFailure, string>

type BulkPanelProps = { job: BulkRevocation; isNew: boolean; onSeen: () => void; dismiss: ReactNode }

/** Shows the progress of a bulk revocation, with a button to stop it. Takes the focus when `isNew`. */
export function BulkPanel({ job: data, isNew, onSeen, dismiss }: BulkPanelProps) {
  const { can } = useWorkspace()
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isNew) return
    panel.current?.focus()
    onSeen()
  }, [isNew, onSeen])
  const done = data.revoked + data.ended_before + data.failed.length
  const isOver = data.ended_at !== null
  const [isStopped, setStopped] = useState(false)
  useEffect(() => {
    // The pressed button has disappeared.
    if (isStopped && isOver) panel.current?.focus()
  }, [isStopped, isOver])
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby="revocation"
      className="mb-3 rounded-xl border border-line bg-surface px-4 py-3"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div>
          <h2 id="revocation" className="text-sm font-semibold">
            {isOver ? resultOf(data) : `Revoking ${countOf(data.attestations, "attestation")}`}
          </h2>
          <p className="text-[13px] text-muted tabular-nums">
            {isOver ? (
              <>
                {data.cancelled_by !== null && `Stopped by ${data.cancelled_by}; ${data.left} not revoked. `}
                {data.ended_before > 0 && `${data.ended_before} had already ended. `}
                Started by {data.started_by} <Ago at={data.started_at} />
              </>
            ) : (
              `${done} of ${data.attestations} done. You can leave this page while Vouch continues.`
            )}
          </p>
        </div>
        {isOver ? dismiss : can("attestation:write") && <Stop id={data.id} onStopped={() => setStopped(true)} />}
      </div>
      {!isOver && <Progress className="mt-3" label="Attestations revoked" value={done / data.attestations} />}
      {data.failed.length > 0 && <NotRevoked failed={data.failed} />}
      <p role="status" className="sr-only">
        {isOver && resultOf(data)}
      </p>
    </section>
  )
}

function Stop({ id, onStopped }: { id: string; onStopped: () => void }) {
  const cancel = useMutation((api) => api.bulkRevocation.cancel.mutate({ id }))
  return (
    <Confirm
      trigger={<Button size="sm">Stop</Button>}
      title="Stop revoking?"
      description="Attestations already revoked stay revoked. All others stay unchanged."
      confirm="Stop revoking"
      dismiss="Keep revoking"
      danger={false}
      onConfirm={async () => {
        await cancel.mutateAsync()
        onStopped()
      }}
    />
  )
}

const resultOf = ({ revoked, attestations: all }: BulkRevocation): string =>
  revoked === all ? `${countOf(all, "attestation")} revoked` : `${revoked} of ${countOf(all, "attestation")} revoked`

/** How many are shown before the reader asks for the rest. */
const FIRST = 5

function NotRevoked({ failed }: Pick<BulkRevocation, "failed">) {
  const [isAll, setAll] = useState(false)
  return (
    <div className="mt-3 text-[13px]">
      <h3 id="not-revoked" className="font-medium">
        Not revoked
      </h3>
      <ul aria-labelledby="not-revoked" className="mt-1 space-y-1">
        {failed.slice(0, isAll ? undefined : FIRST).map(({ attestation_id: id, error }) => (
          <li key={id}>
            {error === "attestation_not_found" ? (
              <Shortened value={id} />
            ) : (
              <To path={["attestations", id]} className="underline">
                <Shortened value={id} />
              </To>
            )}
            : {failureCopy[error]}
          </li>
        ))}
      </ul>
      {failed.length > FIRST && !isAll && (
        <Button variant="link" className="mt-1 text-[13px]!" onClick={() => setAll(true)}>
          Show all {failed.length}
        </Button>
      )}
    </div>
  )
}

type BulkRevokeProps = { selection: Selection<AttestationSummary>; onStarted: (id: string) => void }

/** Actions for the selected attestations. Floats over the end of the list, so that no row moves. */
export function BulkRevoke({ selection: { chosen, change }, onStarted }: BulkRevokeProps) {
  // A retry joins the revocation that the first attempt may have started, because its answer can be lost.
  const keys = useRef(new Map<string, string>())
  const start = useMutation((api, input: { attestation_ids: string[] } & ReturnType<typeof reasonsIn>) => {
    const content = JSON.stringify(input)
    const idempotencyKey = keys.current.get(content) ?? newKey()
    keys.current.set(content, idempotencyKey)
    return api.bulkRevocation.start.mutate(input, { context: { idempotencyKey } })
  })
  const count = chosen.size
  if (count === 0) return null
  const verified = [...chosen.values()].filter(({ status }) => status === "verified").length
  const isTooMany = count > MOST_REVOKED_TOGETHER
  return (
    <section
      aria-label="Selected attestations"
      className="sticky bottom-3 z-10 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line bg-surface py-2 pr-2 pl-4 shadow-card"
    >
      <p role="status" className="text-sm font-medium tabular-nums">
        {count} selected
        {isTooMany && <span className="ml-2 font-normal text-danger">{MOST_REVOKED_TOGETHER} at most at a time</span>}
      </p>
      <Confirm
        trigger={
          <Button variant="danger" size="sm" disabled={isTooMany}>
            Revoke
          </Button>
        }
        title={`Revoke ${countOf(count, "attestation")}?`}
        description={describe({ verified, pending: count - verified })}
        confirm={`Revoke ${count}`}
        word="REVOKE"
        onConfirm={async (values) => {
          const { id } = await start.mutateAsync({
            attestation_ids: [...chosen.keys()],
            ...reasonsIn(values),
          })
          change(new Map())
          onStarted(id)
        }}
      >
        <ReasonFields />
      </Confirm>
      <Button variant="ghost" size="sm" onClick={() => change(new Map())}>
        Clear selection
      </Button>
    </section>
  )
}

function describe({ verified, pending }: { verified: number; pending: number }): string {
  const lost =
    verified > 0 &&
    `${verified} verified: ${verified === 1 ? "the wallet is no longer verified, and its credential is" : "the wallets are no longer verified, and their credentials are"} destroyed on chain.`
  const closed =
    pending > 0 &&
    `${pending} pending: the ${pending === 1 ? "session closes" : "sessions close"} and nothing is issued. They no longer count against your quota.`
  return [lost, closed, "You cannot undo this."].filter(Boolean).join(" ")
}
