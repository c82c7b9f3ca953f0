import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { deployment, flowOf, providerLabel } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { isId } from "#server/lib/ids.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { explorerOf } from "#server/solana/explorer.ts"
import { attestationMemo } from "#server/solana/memo.ts"
import { openClaims } from "./claims.ts"
import { credentialState, readBurn } from "./credential-state.ts"
import { attestationNotFound } from "./read.ts"
import { type AttestationRow, attestationFields, isManual, toRecord } from "./record.ts"
import { shownStatusAt, statusAt } from "./status.ts"
import { type Landed, type Life, timelineOf } from "./timeline.ts"

/** Fields that a record does not have. */
const lifeColumns = columns("attestations", "provider, consented_at, operation_id, ended_at, claims")
type DetailRow = AttestationRow & RowOf<typeof lifeColumns>

/** How far the times of a row and of its request may differ: the log has the time when the request arrived. */
const LOG_WINDOW_SECONDS = 60

/** Everything known about an attestation, with its events in order. Errors: attestation_not_found. */
export async function readDetail(principal: Principal, id: string) {
  if (!isId("att", id)) return attestationNotFound(id)
  const { workspaceId, mode } = principal
  const [row] = await sql<DetailRow[]>`
    select ${attestationFields(sql)}, ${sql(lifeColumns)}
    from attestations where workspace_id = ${workspaceId} and id = ${id}`
  if (!row) return attestationNotFound(id)
  const [issuing, burn, traces, review_id] = await Promise.all([
    row.operation_id === null ? null : transactionOf(workspaceId, row.operation_id),
    row.verified_at === null ? null : readBurn(row),
    readTraces(row),
    principal.scopes.has("review:write") ? latestReview(workspaceId, id) : null,
  ])
  const now = clock.now()
  const life: Life = {
    ...row,
    status: statusAt(row, now),
    flow: flowOf({ mode, provider: row.provider }),
    decision: row.event_at && {
      at: (isManual(row) && row.reviewed_at) || row.event_at,
      result: row.event_decision!,
    },
    issuing,
    burning: burn?.burning ?? null,
    traces,
  }
  const shown = row.verified_at !== null
  return {
    ...toRecord(row, principal),
    status: shownStatusAt(row, now),
    started_at: toTimestamp(row.created_at),
    provider: providerLabel(mode, row.provider),
    /** The memo in the issuing transaction; null until verified. */
    memo: shown ? attestationMemo(row.id, row.commitment!, row.expires_at!) : null,
    slot: shown ? (issuing?.slot ?? null) : null,
    /** With `{}` for `tx/…` or `address/…`; null if no public explorer reaches it. */
    explorer: explorerOf(deployment.chains[mode]?.identity?.cluster),
    /** The state of its unit on chain; null until verified. */
    credential: burn && credentialState({ status: life.status, reason: row.reason }, burn),
    /** Whether the vendor's country code is of no country that rules can name. They then refuse the wallet. */
    country_unknown: row.claims !== null && openClaims(row.id, row.claims).unknown_country !== undefined,
    /** The latest review of its verification; null if it had none, and for members who do not decide reviews. */
    review_id,
    timeline: timelineOf(life),
  }
}

async function latestReview(workspaceId: string, attestationId: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from reviews where workspace_id = ${workspaceId} and subject = ${attestationId}
    order by seq desc limit 1`
  return row?.id ?? null
}

async function transactionOf(workspaceId: string, operationId: string): Promise<Landed | null> {
  const [row] = await sql<(Omit<Landed, "slot"> & { slot: bigint | null })[]>`
    select t.signature, t.created_at as signed_at, t.settled_at, t.slot
    from operations o join transactions t on t.signature = o.signature and t.workspace_id = o.workspace_id
    where o.workspace_id = ${workspaceId} and o.id = ${operationId}`
  return row ? { ...row, slot: row.slot === null ? null : Number(row.slot) } : null
}

const entryColumns = columns("audit_entries", "action, actor, actor_name, request_id")

/** Who started it and who ended it. Members and revocations are in the audit log, keys in the request log. */
async function readTraces(row: DetailRow): Promise<Life["traces"]> {
  const { workspace_id, id, wallet, schema_id, created_at, event_decision } = row
  const [entries, [logged]] = await Promise.all([
    sql<(RowOf<typeof entryColumns> & { decision: string | null })[]>`
      select ${sql(entryColumns)}, detail ->> 'decision' as decision from audit_entries
      where account_id = (select account_id from workspaces where id = ${workspace_id})
        and workspace_id = ${workspace_id} and subject = ${id}
        and action in ('session.started', 'session.cancelled', 'attestation.revoked', 'attestation.decided_manually')
      order by seq`,
    // Several requests may have asked for the same session. The first one started it.
    sql<{ id: string; key_name: string | null }[]>`
      select r.id, k.name as key_name from api_requests r
      left join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
      where r.workspace_id = ${workspace_id} and r.method = 'POST' and r.path = '/kyc/start' and r.status = 200
        and r.at between ${addSeconds(created_at, -LOG_WINDOW_SECONDS)} and ${addSeconds(created_at, LOG_WINDOW_SECONDS)}
        and strpos(r.request_body, ${wallet}) > 0 and strpos(r.request_body, ${schema_id}) > 0
      order by r.at limit 1`,
  ])
  const traceOf = (found: (typeof entries)[number] | undefined) =>
    found && { by: { kind: found.actor, name: found.actor_name }, request_id: found.request_id }
  const entry = (action: string) => traceOf(entries.find((one) => one.action === action))
  // The last of several submissions, because a reviewer may ask for another one more than once.
  const manual = (decision: string) =>
    traceOf(entries.findLast((one) => one.action === "attestation.decided_manually" && one.decision === decision))
  return {
    approved: manual("approved"),
    decided: isManual(row) && event_decision !== null ? manual(event_decision) : undefined,
    started:
      entry("session.started") ??
      (logged && { by: { kind: "key" as const, name: logged.key_name }, request_id: logged.id }),
    revoked: entry("attestation.revoked"),
    cancellation: entry("session.cancelled"),
  }
}
