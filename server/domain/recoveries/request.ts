import { type Queryable, repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Decided, type Replay, underPolicy } from "#domain/approvals"
import { endPending, lockOwners, revokeIn } from "#domain/attestations"
import { type Author, actorOf, recordChange } from "#domain/audit-log"
import { requireInvestor } from "#domain/investors"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { followFreeze } from "#domain/token-accounts"
import { isBarred } from "#domain/tokens"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { type ErrorCode, Failure, fail } from "#shared/errors.ts"
import type { RecoveryReason } from "#shared/recoveries.ts"
import { refusalOf } from "./conditions.ts"
import { readRecovery } from "./read.ts"
import { endingOf, findRecovery, type RecoveryRecord, type RecoveryRow, recoveryRows, toRow } from "./recovery.ts"

type Recovery = Command & {
  investorId: string
  lostWallet: Address
  /** Null to bar the lost wallet for now. */
  newWallet: Address | null
  reasonCode: RecoveryReason
  reference: string
  documentSha256: string | null
  /** Whether the lost wallet is barred before the request is approved, and also if it cannot be done yet. */
  barNow: boolean
}

/** The body of a request, as an approval stores it. */
export type StoredRecovery = {
  investor_id: string
  lost_wallet: Address
  new_wallet: Address
  reason_code: RecoveryReason
  reference: string
  document_sha256?: string
}

type Refused = { refused: { code: ErrorCode; detail: string } }

/**
 * Requests that a lost wallet's tokens move to another wallet of the same investor, and bars the lost wallet. A repeat for
 * a wallet that is only barred continues that recovery. Errors: investor_not_found, same_wallet, recovery_not_possible,
 * approver_missing; chain_unavailable in quarantine. With `barNow`, the wallet stays barred after a refusal, in a recovery
 * with the state `barred`.
 */
export async function requestRecovery(request: Recovery): Promise<RecoveryRecord> {
  const { principal, idempotency, lostWallet, newWallet } = request
  if (idempotency?.begun) return readRecovery(principal, idempotency.begun)
  const investorId = await requireInvestor(principal.workspaceId, request.investorId)
  if (lostWallet === newWallet) fail("same_wallet", "new_wallet: must be another wallet than lost_wallet.")
  const id = newId("rec")
  const outcome = await repeatOnDeadlock(() => sql.begin((sql) => record(sql, { ...request, investorId }, id)))
  publish("ledger")
  publishActivity(principal.workspaceId)
  if ("refused" in outcome) fail(outcome.refused.code, outcome.refused.detail)
  return readRecovery(principal, outcome.id)
}

async function record(sql: Transaction, request: Recovery, newId: string): Promise<{ id: string } | Refused> {
  const { principal, requestId, idempotency, investorId, lostWallet, newWallet, barNow } = request
  const { workspaceId } = principal
  const author = { principal, requestId }
  await lockOwners(sql, workspaceId, newWallet === null ? [lostWallet] : [lostWallet, newWallet])
  const notTheirs = await refusalOf(sql, principal, { investorId, lostWallet, newWallet: null })
  if (notTheirs !== null) fail(notTheirs.code, notTheirs.detail)
  const open = await lockOpen(sql, workspaceId, lostWallet)
  await refuseTarget(sql, workspaceId, lostWallet)
  const id = open?.id ?? newId
  if (open === null) await insert(sql, request, id)
  if (barNow && open?.barred_at == null) await bar(sql, workspaceId, { id, lostWallet, author })
  const done = async () => {
    if (idempotency) await claimKey(sql, idempotency, id)
    return { id }
  }
  if (newWallet === null) return done()
  const refused = (detail: Refused["refused"]): Refused => {
    if (!barNow) fail(detail.code, detail.detail)
    // The bar is committed.
    return { refused: { ...detail, detail: `${detail.detail} ${lostWallet} stays barred by ${id}.` } }
  }
  const refusal = refusalOfOpen(open) ?? (await refusalOf(sql, principal, { investorId, lostWallet, newWallet }))
  if (refusal !== null) return refused(refusal)
  const decided = await sql
    .savepoint(async (sql) => {
      await accept(sql, request, id)
      return decide(sql, { author, principal, id, request: storedOf(request, newWallet) })
    })
    .catch((error: unknown) => {
      if (error instanceof Failure && error.code === "approver_missing")
        return refused({ code: error.code, detail: error.message })
      throw error
    })
  return "refused" in decided ? decided : done()
}

const storedOf = (request: Recovery, newWallet: Address): StoredRecovery => ({
  investor_id: request.investorId,
  lost_wallet: request.lostWallet,
  new_wallet: newWallet,
  reason_code: request.reasonCode,
  reference: request.reference,
  ...(request.documentSha256 !== null && { document_sha256: request.documentSha256 }),
})

/** The recovery of a wallet that has not ended, locked. One whose approval has ended is closed. */
async function lockOpen(sql: Queryable, workspaceId: string, lostWallet: Address): Promise<RecoveryRow | null> {
  const [found] = await sql<RecoveryRow[]>`
    ${recoveryRows(sql)} where r.workspace_id = ${workspaceId} and r.lost_wallet = ${lostWallet}
      and r.state in ('barred', 'awaiting_approval', 'in_progress') for update of r`
  if (!found) return null
  const row = toRow(found)
  const { endedAt } = endingOf(row)
  if (endedAt === null) return row
  await close(sql, row)
  return null
}

/** Why no other recovery of the wallet can be requested; null for one that only bars it, which goes on. */
function refusalOfOpen(open: RecoveryRow | null): Refused["refused"] | null {
  if (open === null || open.state === "barred") return null
  const advice = open.state === "in_progress" ? "Wait until it has ended" : "Approve it"
  const detail = `lost_wallet: ${open.id} already recovers ${open.lost_wallet}. ${advice}, or cancel it first.`
  return { code: "recovery_not_possible", detail }
}

/** A wallet cannot be lost while tokens move to it: they would stop half way. Errors: recovery_not_possible. */
async function refuseTarget(sql: Queryable, workspaceId: string, wallet: Address): Promise<void> {
  const [into] = await sql<{ id: string }[]>`
    select id from recoveries where workspace_id = ${workspaceId} and new_wallet = ${wallet} and state = 'in_progress'`
  if (into)
    fail(
      "recovery_not_possible",
      `lost_wallet: ${into.id} is moving tokens to ${wallet}. Wait until it has ended, or stop it by freezing the wallet.`,
    )
}

/** Stores what came of the approval that a recovery waited for. The lost wallet stays barred. */
export async function close(sql: Queryable, row: RecoveryRow): Promise<void> {
  const { state, error, endedAt } = endingOf(row)
  if (endedAt === null) return
  await sql`
    update recoveries set state = ${state}, error_code = ${error?.code ?? null}, error_detail = ${error?.detail ?? null},
      ended_at = ${endedAt}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and state = 'awaiting_approval'`
}

async function insert(sql: Queryable, request: Recovery, id: string): Promise<void> {
  const { principal, requestId, investorId, lostWallet, reasonCode, reference, documentSha256 } = request
  const { actor, id: actorId } = actorOf({ principal, requestId })
  await sql`
    insert into recoveries (workspace_id, id, investor_id, lost_wallet, reason_code, reference, document_sha256, state,
      actor, actor_id, created_at)
    values (${principal.workspaceId}, ${id}, ${investorId}, ${lostWallet}, ${reasonCode}, ${reference}, ${documentSha256},
      'barred', ${actor}, ${actorId}, ${clock.now()})`
}

/** Stores what a request that can be done asks. The document of an earlier one stays if it names none. */
async function accept(sql: Queryable, request: Recovery, id: string): Promise<void> {
  const { principal, requestId, investorId, lostWallet, newWallet, reasonCode, reference, documentSha256 } = request
  const { workspaceId } = principal
  await sql`
    update recoveries set new_wallet = ${newWallet}, reason_code = ${reasonCode}, reference = ${reference},
      document_sha256 = coalesce(${documentSha256}, document_sha256)
    where workspace_id = ${workspaceId} and id = ${id}`
  const wallets = { investor: investorId, lost_wallet: lostWallet, new_wallet: newWallet }
  const document = documentSha256 !== null && { document_sha256: documentSha256 }
  await recordChange(sql, workspaceId, {
    author: { principal, requestId },
    action: "recovery.requested",
    subject: id,
    detail: { ...wallets, reason_code: reasonCode, reference, ...document },
  })
}

/** Bars a wallet: nothing enters or leaves it, and no one can verify it. Its owner stays who it is. */
async function bar(
  sql: Queryable,
  workspaceId: string,
  { id, lostWallet, author }: { id: string; lostWallet: Address; author: Author },
): Promise<void> {
  const now = clock.now()
  const [row] = await sql<{ reason_code: string; reference: string }[]>`
    update recoveries set barred_at = ${now} where workspace_id = ${workspaceId} and id = ${id}
    returning reason_code, reference`
  // Members decide what is in review. If they approve it, it ends because the wallet is barred.
  const pending = await sql<{ id: string }[]>`
    select id from attestations a
    where workspace_id = ${workspaceId} and wallet = ${lostWallet} and status = 'pending'
      and not exists (select from reviews r
        where r.workspace_id = a.workspace_id and r.attestation_id = a.id and r.state <> 'closed')
    order by seq for update`
  const reason = "The wallet was reported as lost."
  for (const { id: attestationId } of pending)
    await endPending(sql, { workspaceId, attestationId, status: "rejected", reason, now })
  await followFreeze(sql, { workspaceId, wallet: lostWallet, mintConfig: null })
  await recordChange(sql, workspaceId, {
    author,
    action: "wallet.barred",
    subject: lostWallet,
    detail: { recovery: id, ...row, ended: pending.map((one) => one.id) },
  })
}

type Deciding = { author: Author; principal: Principal; id: string; request: StoredRecovery; replay?: Replay }

/** Begins the recovery, or asks for approval. Errors: recovery_not_possible, approver_missing. */
async function decide(sql: Transaction, { author, principal, id, request, replay }: Deciding): Promise<Decided<void>> {
  const { workspaceId } = principal
  const about = { subject: id, request, also: ["force_transfer"], isAboutAll: true, rules: "" } as const
  const bound = { action: "recovery", ...about, author, idempotency: null, replay } as const
  const decided = await underPolicy(sql, workspaceId, bound, (sql) => begin(sql, { author, principal, id, request }))
  if ("waits" in decided)
    await sql`
      update recoveries set state = 'awaiting_approval', approval_id = ${decided.waits.id}
      where workspace_id = ${workspaceId} and id = ${id}`
  return decided
}

/** From here on the lost wallet stays barred. Errors: recovery_not_possible. */
async function begin(sql: Queryable, { author, principal, id, request }: Deciding): Promise<void> {
  const { workspaceId } = principal
  const { lost_wallet: lostWallet, new_wallet: newWallet } = request
  const investorId = await ownerOf(sql, workspaceId, request.investor_id)
  const refusal = await refusalOf(sql, principal, { investorId, lostWallet, newWallet })
  if (refusal !== null) fail(refusal.code, refusal.detail)
  if (!(await isBarred(sql, workspaceId, lostWallet))) await bar(sql, workspaceId, { id, lostWallet, author })
  await sql`
    update recoveries set state = 'in_progress', begun_at = ${clock.now()}, barred_at = coalesce(barred_at, ${clock.now()})
    where workspace_id = ${workspaceId} and id = ${id}`
  const verified = await sql<{ id: string }[]>`
    select id from attestations where workspace_id = ${workspaceId} and wallet = ${lostWallet} and status = 'verified'
    order by seq`
  const reason = "The wallet was lost."
  for (const { id: attestationId } of verified)
    await revokeIn(sql, { workspaceId, attestationId, author, reason, publicReason: null })
  await recordChange(sql, workspaceId, {
    author,
    action: "recovery.begun",
    subject: id,
    detail: { new_wallet: newWallet },
  })
}

/** The investor, or the one they were merged into since. */
async function ownerOf(sql: Queryable, workspaceId: string, investorId: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select coalesce(merged_into, id) as id from investors where workspace_id = ${workspaceId} and id = ${investorId}`
  return row?.id ?? investorId
}

/** Does what an approved request asks. A recovery that no longer waits is left unchanged. */
export async function redoRecovery(
  { principal, requestId, replay }: { principal: Principal; requestId: string | null; replay: Replay },
  { subject: id, request }: { subject: string; request: StoredRecovery },
): Promise<void> {
  const { workspaceId } = principal
  await repeatOnDeadlock(() =>
    sql.begin(async (sql) => {
      await lockOwners(sql, workspaceId, [request.lost_wallet, request.new_wallet])
      const row = await findRecovery(sql, workspaceId, id, { lock: true })
      if (row.state !== "awaiting_approval") return
      await decide(sql, { author: { principal, requestId }, principal, id, request, replay })
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
}
