import { type Queryable, sql as requests, background as sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, only, qualified, type RowOf, type TableRow, timestamped } from "#db/rows.ts"
import { type Change, recordChange } from "#domain/audit-log"
import { deployment, providerLabel, seal, unseal } from "#domain/deployment"
import type { Caller } from "#domain/requests"
import { Backoff } from "#server/lib/backoff.ts"
import { newId } from "#server/lib/ids.ts"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import { Failure, fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { ShownRedaction, VendorRedaction } from "#shared/statuses.ts"

/** Pauses between unsuccessful attempts. The last one repeats until the vendor has deleted the data. */
const PAUSES_SECONDS = [10, 60, 300, 1800, 3600, 6 * 3600]
/** After this many attempts, in about seven hours, the API reports `failed`. The attempts continue. */
const FAILED_ATTEMPTS = PAUSES_SECONDS.length
/** Requests to make at once. */
const BATCH = 8

/** Pauses asking a provider that does not answer. */
const troubled = new Backoff({ firstMs: 5000, longestMs: 300_000 })

/** The sealing context of a reference. */
export const referenceOwner = ({ id }: { id: string }): string => `${id} reference`

/** An attestation as it was before the erasure. */
type Checked = Pick<TableRow<"attestations">, "provider" | "provider_reference" | "earlier_references">

/**
 * Records what vendors must delete, in the erasure's transaction, after it emptied the attestations. If a vendor's
 * record also serves another wallet of the person, it stays until that wallet is erased.
 */
export async function requestRedactions(
  sql: Queryable,
  { workspaceId, erasureId, of, now }: { workspaceId: string; erasureId: string; of: readonly Checked[]; now: Date },
): Promise<void> {
  const named = of.flatMap(({ provider, provider_reference: last, earlier_references: earlier }) =>
    [...(earlier ?? []), ...(last === null ? [] : [last])].map((reference) => ({ provider, reference })),
  )
  const distinct = [...new Map(named.map((one) => [`${one.provider} ${one.reference}`, one])).values()]
  if (distinct.length === 0) return
  const { mode } = only(await sql<{ mode: Mode }[]>`select mode from workspaces where id = ${workspaceId}`)
  for (const { provider, reference } of distinct) {
    const others = await sql`
      select from attestations
      where workspace_id = ${workspaceId} and provider = ${provider} and provider_reference = ${reference} limit 1`
    const status = others.length > 0 ? "kept" : isAskable(mode, provider) ? "requested" : "not_supported"
    const id = newId("red")
    const sealed = status === "kept" ? null : seal(referenceOwner({ id }), reference)
    await sql`
      insert into vendor_redactions (workspace_id, id, erasure_id, provider, reference, status, next_attempt_at)
      values (${workspaceId}, ${id}, ${erasureId}, ${provider}, ${sealed}, ${status}, ${now})`
  }
}

/** Adds a check that a vendor opened during the erasure to what it must delete. Does nothing without an erasure. */
export async function redactLate({
  workspaceId,
  attestationId,
  provider,
  reference,
}: {
  workspaceId: string
  attestationId: string
  provider: string
  reference: string
}): Promise<void> {
  const [erasure] = await sql<{ id: string }[]>`
    select e.id from attestations a
    join erasures e on e.workspace_id = a.workspace_id and e.investor_id = a.investor_id
    where a.workspace_id = ${workspaceId} and a.id = ${attestationId} and a.erased_at is not null
    order by e.seq desc limit 1`
  if (!erasure) return
  const of = [{ provider, provider_reference: reference, earlier_references: null }]
  await sql.begin((sql) => requestRedactions(sql, { workspaceId, erasureId: erasure.id, of, now: clock.now() }))
}

/** Whether the vendor's API can delete. True for a provider without settings, because it may get them back. */
function isAskable(mode: Mode, name: string): boolean {
  const provider = deployment.providers[mode].configured.get(name)
  return provider === undefined || (provider.flow.kind === "redirect" && provider.flow.redact !== null)
}

type Due = {
  workspace_id: string
  id: string
  erasure_id: string
  provider: string
  reference: Buffer
  mode: Mode
  attempts: number
}

/** Asks vendors to delete the data of erased people. */
export async function redactDue(): Promise<void> {
  for (;;) {
    const due = await claim()
    await Promise.all(due.map(redact))
    if (due.length < BATCH) return
  }
}

/** Claims the requests to make now. It schedules the next attempt first, so a crash only delays it. */
async function claim(): Promise<Due[]> {
  const now = clock.now()
  const rows = await sql<Due[]>`
    update vendor_redactions r set attempts = r.attempts + 1, next_attempt_at = ${now}::timestamptz
      + make_interval(secs => (${PAUSES_SECONDS}::int[])[least(r.attempts + 1, ${PAUSES_SECONDS.length})])
    from workspaces w
    where w.id = r.workspace_id and (r.workspace_id, r.id) in (
      select d.workspace_id, d.id from vendor_redactions d join workspaces v on v.id = d.workspace_id
      where d.status = 'requested' and d.next_attempt_at <= ${now}
        and not (v.mode || ' ' || d.provider = any(${troubled.held}))
      order by d.next_attempt_at limit ${BATCH} for update of d skip locked)
    returning r.workspace_id, r.id, r.erasure_id, r.provider, r.reference, r.attempts, w.mode`
  return [...rows]
}

async function redact({ workspace_id, id, erasure_id, provider: name, reference, mode, attempts }: Due) {
  const provider = deployment.providers[mode].configured.get(name)
  if (provider === undefined) return
  const trouble = `${mode} ${name}`
  try {
    const ask = provider.flow.kind === "redirect" ? provider.flow.redact : null
    if (ask !== null) await ask(unseal(referenceOwner({ id }), reference))
    await note({ workspace_id, id }, ask === null ? "not_supported" : "done")
    troubled.succeeded(trouble)
  } catch (error) {
    const isAway = error instanceof Failure && error.code === "provider_unavailable"
    if (isAway) troubled.failed(trouble)
    if (!isAway || attempts === FAILED_ATTEMPTS)
      logger.warn(
        { err: error, provider: name, erasure: erasure_id },
        "a KYC provider has not deleted an erased person's data; retrying later",
      )
  }
}

/** Records the result. Deletes the reference once done, but keeps it if a member must ask the vendor. */
async function note({ workspace_id, id }: Pick<Due, "workspace_id" | "id">, status: VendorRedaction) {
  const isDone = status === "done"
  await sql`
    update vendor_redactions set status = ${status}, done_at = ${isDone ? clock.now() : null},
      reference = case when ${isDone} then null else reference end
    where workspace_id = ${workspace_id} and id = ${id} and status = 'requested'`
  publishActivity(workspace_id)
}

const redactionColumns = columns("vendor_redactions", "id, provider, status, reference, attempts, done_at")
type Row = RowOf<typeof redactionColumns, { status: VendorRedaction }> & { erased_at: Date; mode: Mode }

/** Requests to vendors to delete an investor's data, latest erasure first. */
export async function listRedactions(workspaceId: string, investorId: string) {
  const rows = await requests<Row[]>`
    select ${requests(qualified("r", redactionColumns))}, e.erased_at, w.mode
    from erasures e join vendor_redactions r on r.workspace_id = e.workspace_id and r.erasure_id = e.id
    join workspaces w on w.id = e.workspace_id
    where e.workspace_id = ${workspaceId} and e.investor_id = ${investorId}
    order by e.seq desc, r.provider, r.id`
  return rows.map(({ reference, mode, provider, attempts, ...row }) => {
    const status = shownRedaction({ ...row, attempts })
    const isByHand = status === "not_supported" || status === "failed"
    return {
      ...timestamped(row),
      provider: providerLabel(mode, provider),
      status,
      /** The vendor's id, if a member must ask the vendor; null otherwise. */
      reference: isByHand && reference !== null ? unseal(referenceOwner(row), reference) : null,
    }
  })
}
export type Redaction = Awaited<ReturnType<typeof listRedactions>>[number]

/** Records that a member had the vendor delete the data, and deletes the reference. Errors: erasure_not_found. */
export async function confirmRedaction({ id, ...caller }: Caller & { id: string }): Promise<void> {
  const { workspaceId, mode } = caller.principal
  await requests.begin(async (sql) => {
    const [row] = await sql<{ provider: string; erasure_id: string; status: VendorRedaction }[]>`
      select provider, erasure_id, status from vendor_redactions
      where workspace_id = ${workspaceId} and id = ${id} for update`
    if (!row) return fail("erasure_not_found", "id: this workspace has no such request to a vendor.")
    if (row.status === "done" || row.status === "kept") return
    await sql`
      update vendor_redactions set status = 'done', reference = null, done_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { provider: providerLabel(mode, row.provider) }
    const change: Change = { author: caller, action: "investor.vendor_confirmed", subject: row.erasure_id, detail }
    await recordChange(sql, workspaceId, change)
  })
  publishActivity(workspaceId)
}

/** Shows a request as `failed` after hours of unsuccessful attempts, although the attempts continue. */
export const shownRedaction = ({ status, attempts }: Pick<Row, "status" | "attempts">): ShownRedaction =>
  status === "requested" && attempts >= FAILED_ATTEMPTS ? "failed" : status
