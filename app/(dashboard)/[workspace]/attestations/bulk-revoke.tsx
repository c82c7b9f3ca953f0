import { useRef } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import type { Selection } from "#app/components/selection.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { AttestationSummary } from "#domain/attestations"
import { MOST_REVOKED_TOGETHER } from "#shared/bulk.ts"
import { countOf } from "#shared/counts.ts"
import { newKey } from "../tokens/idempotency-key.ts"
import { ReasonFields, reasonsIn } from "./reason-fields.tsx"

/** Actions for the selected attestations. Floats over the end of the list, so that no row moves. */
export function BulkRevoke({
  selection: { chosen, change },
  onStarted,
}: {
  selection: Selection<AttestationSummary>
  onStarted: (id: string) => void
}) {
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

/** What revoking does to them, by their current status. */
function describe({ verified, pending }: { verified: number; pending: number }): string {
  const lost =
    verified > 0 &&
    `${verified} verified: ${verified === 1 ? "the wallet is no longer verified, and its credential is" : "the wallets are no longer verified, and their credentials are"} destroyed on chain.`
  const closed =
    pending > 0 &&
    `${pending} pending: the ${pending === 1 ? "session closes" : "sessions close"} and nothing is issued. They no longer count against your quota.`
  return [lost, closed, "You cannot undo this."].filter(Boolean).join(" ")
}
