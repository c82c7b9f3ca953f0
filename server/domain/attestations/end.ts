import type { Queryable } from "#db/client.ts"
import { only, type TableRow } from "#db/rows.ts"
import { closeVendorReviews } from "#domain/reviews"
import { followVerification } from "#domain/token-investors"
import { enqueue, voidPlans } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"
import { credentialAccounts } from "./credential-accounts.ts"
import { revoke } from "./operations/revoke.ts"

type PendingEnd = {
  workspaceId: string
  attestationId: string
  status: "rejected" | "expired"
  reason: string | null
  revokedAt?: Date | null
  now: Date
}

/**
 * Ends a pending attestation. The same guarded update releases its unit of quota, drops a held approval and cancels an
 * attest that is still queued. An attest that is already signed continues: when it confirms, it finds the row ended,
 * and its credential is burned. Returns whether this call ended it.
 */
export async function endPending(sql: Queryable, end: PendingEnd): Promise<boolean> {
  const { workspaceId, attestationId, status, reason, revokedAt = null, now } = end
  const rows = await sql<{ ended: boolean; in_review: boolean }[]>`
    with ended as (
      update attestations
      set status = ${status}, reason = ${reason}, revoked_at = ${revokedAt}, ended_at = ${now}, open_until = null,
        claims = case when held_at is null then claims end, held_at = null
      where workspace_id = ${workspaceId} and id = ${attestationId} and status = 'pending'
      returning period, operation_id
    ), freed as (
      update usage_periods u set used = u.used - 1 from ended e
      where u.workspace_id = ${workspaceId} and u.period = e.period
    ), cancelled as (
      update operations o set status = 'failed', error_code = 'cancelled', finished_at = ${now} from ended e
      where o.workspace_id = ${workspaceId} and o.id = e.operation_id and o.status = 'queued'
    )
    select exists (select from ended) as ended, exists (select from reviews r
      where r.workspace_id = ${workspaceId} and r.attestation_id = ${attestationId} and r.kind = 'vendor'
        and r.state <> 'closed') as in_review`
  const { ended, in_review } = only(rows)
  if (ended && in_review) {
    const ending = revokedAt !== null ? "revoked" : status === "expired" ? "expired" : "vendor"
    await closeVendorReviews(sql, workspaceId, [attestationId], ending)
  }
  return ended
}

type Ended = Pick<TableRow<"attestations">, "workspace_id" | "id" | "schema_id" | "wallet">

/** Enqueues the burn of a credential. When it runs, the ledger checks that no renewal has replaced the unit. */
export async function revokeCredential(sql: Queryable, { workspace_id, id, schema_id, wallet }: Ended): Promise<void> {
  const { mint, account } = credentialAccounts(workspace_id, schema_id, wallet)
  await enqueue(sql, workspace_id, revoke, {
    payload: { attestation_id: id, schema_id, wallet },
    writes: [account],
    reads: [mint],
  })
  await followVerification(sql, { workspaceId: workspace_id, schemaId: schema_id, wallet })
  await voidPlans(sql, workspace_id)
}

/** Locks who owns wallets until the commit. What proves or verifies a wallet, or bars it, takes this lock. */
export async function lockOwners(sql: Queryable, workspaceId: string, wallets: readonly Address[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} `} || wallet, 0))
    from (select distinct unnest(${wallets as Address[]}::text[]) as wallet order by 1) w`
}

const REASON = "The wallet belongs to another person."

/**
 * Ends what other people have verified with each of these wallets. Otherwise one person would get tokens through
 * another person's verification. Call it in the transaction that changes the owner or verifies a wallet; the caller
 * publishes `ledger` and the activity after the commit. If two such transactions run at once for a wallet, the second
 * waits here for the first and sees its change. Otherwise each would miss the other's.
 */
export async function endOthers(
  sql: Queryable,
  { workspaceId, wallets, now }: { workspaceId: string; wallets: readonly Address[]; now: Date },
): Promise<void> {
  if (wallets.length === 0) return
  await lockOwners(sql, workspaceId, wallets)
  const ended = await sql<Ended[]>`
    update attestations a set status = 'expired', reason = ${REASON}, ended_at = ${now}
    where a.workspace_id = ${workspaceId} and a.wallet = any(${wallets as Address[]}) and a.status = 'verified'
      and a.investor_id <> (select investor_id from wallet_owner(a.workspace_id, a.wallet))
    returning a.workspace_id, a.id, a.schema_id, a.wallet`
  for (const attestation of ended) await revokeCredential(sql, attestation)
}
