import { type ReactNode, useEffect, useRef, useState } from "react"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { type InputOf, To, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Progress } from "#app/components/meter.tsx"
import type { Selection } from "#app/components/selection.tsx"
import { isTooMany, SelectionBar } from "#app/components/selection-bar.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { AttestationSummary, BulkRevocation } from "#domain/attestations"
import { MOST_REVOKED_TOGETHER } from "#shared/bulk.ts"
import { countOf, shortCount } from "#shared/counts.ts"
import type { RevocationFailure } from "#shared/statuses.ts"
import { newKey } from "../tokens/idempotency-key.ts"
import { ReasonFields, reasonsIn } from "./reason-fields.tsx"

const failureCopy = {
  attestation_not_found: "not found in this workspace",
  insufficient_scope: "the person who started this may no longer revoke",
  review_open: "it has an open review, which two members must decide",
  internal_error: "failed several times. Try to revoke it on its own",
  status_changed: "its status has changed since it was selected",
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
  const done = data.revoked + data.ended_before + data.failed_count
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
                {data.gone > 0 && `${data.gone} no longer matched when this was confirmed. `}
                Started by {data.started_by} <Ago at={data.started_at} />
              </>
            ) : (
              `${done} of ${data.attestations} done. You can leave this page while Vouch continues.`
            )}
          </p>
        </div>
        <div className="flex items-center gap-2">
          {isOver && <ExportCsv list="bulk-revocation" label="Export results" asked={{ id: data.id }} />}
          {isOver ? dismiss : can("attestation:write") && <Stop id={data.id} onStopped={() => setStopped(true)} />}
        </div>
      </div>
      {!isOver && <Progress className="mt-3" label="Attestations revoked" value={done / data.attestations} />}
      {data.failed.length > 0 && <NotRevoked {...data} />}
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

function NotRevoked({ failed, failed_count: count }: Pick<BulkRevocation, "failed" | "failed_count">) {
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
          Show {count === failed.length ? "all" : "the first"} {failed.length}
        </Button>
      )}
    </div>
  )
}

type BulkRevokeProps = {
  selection: Selection<AttestationSummary>
  /** The filters of the list, as the server takes them. */
  filter: RevocationFilter
  /** Whether every row of the page is selected and other pages match, too. */
  offersAll: boolean
  onStarted: (id: string) => void
}
export type RevocationFilter = InputOf<"bulkRevocation.count">
type Start = InputOf<"bulkRevocation.start">

/** Actions for the selected attestations. */
export function BulkRevoke({ selection, filter, offersAll, onStarted }: BulkRevokeProps) {
  const { chosen, allMatching, change } = selection
  // A retry joins the revocation that the first attempt may have started, because its answer can be lost.
  const keys = useRef(new Map<string, string>())
  const start = useMutation((api, input: Start) => {
    const content = JSON.stringify(input)
    const idempotencyKey = keys.current.get(content) ?? newKey()
    keys.current.set(content, idempotencyKey)
    return api.bulkRevocation.start.mutate(input, { context: { idempotencyKey } })
  })
  const counted = useQuery("bulkRevocation.count", filter, { enabled: offersAll }).data
  // As the member saw it: the count is read again later, and the request must not grow with it.
  const [seen, setSeen] = useState<typeof counted>(undefined)
  if (chosen.size === 0) return null
  const all = allMatching === null ? undefined : seen
  const count = allMatching ?? chosen.size
  const verified = all ? all.verified : [...chosen.values()].filter(({ status }) => status === "verified").length
  return (
    <SelectionBar
      label="Selected attestations"
      selection={{
        ...selection,
        selectMatching: (...as) => {
          setSeen(counted)
          selection.selectMatching(...as)
        },
      }}
      matching={
        offersAll && counted
          ? { count: counted.verified + counted.pending, isTooMany: counted.is_too_many, upTo: counted.up_to }
          : undefined
      }
      most={MOST_REVOKED_TOGETHER}
    >
      <Confirm
        trigger={
          <Button variant="danger" size="sm" disabled={isTooMany(selection, MOST_REVOKED_TOGETHER)}>
            Revoke
          </Button>
        }
        title={`Revoke ${countOf(count, "attestation")}?`}
        description={describe({ verified, pending: count - verified })}
        confirm={`Revoke ${shortCount({ count, atLeast: false })}`}
        word="REVOKE"
        onConfirm={async (values) => {
          const { id } = await start.mutateAsync({
            // The dialog says what happens to each by its status then. One whose status has changed since is left out.
            ...(all?.rows
              ? { matching: { filter, rows: all.rows } }
              : {
                  attestation_ids: [...chosen.keys()],
                  pending_ids: [...chosen].flatMap(([id, { status }]) => (status === "pending" ? [id] : [])),
                }),
            ...reasonsIn(values),
          })
          change(new Map())
          onStarted(id)
        }}
      >
        <ReasonFields />
      </Confirm>
    </SelectionBar>
  )
}

function describe({ verified, pending }: { verified: number; pending: number }): string {
  const figure = (count: number) => shortCount({ count, atLeast: false })
  const lost =
    verified > 0 &&
    `${figure(verified)} verified: ${verified === 1 ? "the wallet is no longer verified, and its credential is" : "the wallets are no longer verified, and their credentials are"} destroyed on chain.`
  const closed =
    pending > 0 &&
    `${figure(pending)} pending: the ${pending === 1 ? "session closes" : "sessions close"} and nothing is issued. They no longer count against your quota.`
  return [lost, closed, "You cannot undo this."].filter(Boolean).join(" ")
}
