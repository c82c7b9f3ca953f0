import { background, type Queryable } from "#db/client.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"

// What a deployment remembers in `chains` of its progress on chain. A database that lost commits in a restore or
// failover can be recognized: it is another run of a server than the one that was compared with the chain.

/**
 * This run of the database server, with this database's files. It changes with every restart, failover or restore, also
 * if a dump is loaded into a running server.
 */
export const serverRun = (sql: Queryable) => sql`
  (select extract(epoch from pg_postmaster_start_time())::text || '/' || oid || '/' || pg_relation_filenode('chains')
    from pg_database where datname = current_database())`

export type ChainState = {
  server: string
  /** The server and timeline of this database. It changes with a failover or a restore from an archive. */
  lineage: string
  /** Those that were last compared with the chain; null if none was. */
  compared: { server: string; lineage: string; seenSlot: number } | null
}

/** Null while the mode is not bound to a chain. */
export async function readState(mode: Mode): Promise<ChainState | null> {
  const [row] = await background<
    { server: string; compared: string | null; compared_lineage: string | null; seen_slot: bigint | null }[]
  >`select ${serverRun(background)} as server, server as compared, lineage as compared_lineage, seen_slot
    from chains where mode = ${mode}`
  if (!row) return null
  const { server, compared, compared_lineage, seen_slot } = row
  return {
    server,
    lineage: await readLineage(server),
    compared:
      compared === null || compared_lineage === null
        ? null
        : { server: compared, lineage: compared_lineage, seenSlot: Number(seen_slot ?? 0) },
  }
}

/** If a service hides the position of its log, every start counts as a failover. */
async function readLineage(server: string): Promise<string> {
  const rows = await background<{ lineage: string }[]>`
    select (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
      || '/' || (select oid from pg_database where datname = current_database()) || '/' || 'chains'::regclass::oid as lineage`.catch(
    (error) => {
      if (REFUSED.has((error as { code?: string }).code ?? "")) return []
      throw error
    },
  )
  return rows[0]?.lineage ?? server
}

/** insufficient_privilege, feature_not_supported, undefined_function, object_not_in_prerequisite_state */
const REFUSED = new Set(["42501", "0A000", "42883", "55000"])

/** Records that whatever this database does not know of has landed in or after a slot. */
export async function markCompared(
  sql: Queryable,
  mode: Mode,
  { server, lineage, slot }: { server: string; lineage: string; slot: number },
): Promise<void> {
  await sql`
    update chains set server = ${server}, lineage = ${lineage}, seen_slot = greatest(seen_slot, ${slot}), waits_for = null
    where mode = ${mode}`
}

export async function noteSeen(mode: Mode, server: string, slot: number): Promise<void> {
  await background`
    update chains set seen_slot = ${slot} where mode = ${mode} and server = ${server} and seen_slot < ${slot}`
}

/** Shows other processes why nothing is signed. */
export async function noteWaiting(mode: Mode, reason: string): Promise<void> {
  await background`
    update chains set waits_for = ${reason} where mode = ${mode} and waits_for is distinct from ${reason}`
}

export type QuarantineReason = {
  /** Whether a person has to decide for this workspace, or the whole mode is being compared. */
  of: "workspace" | "mode"
  /** In a few words. */
  reason: string
}

/** Why nothing is signed for a workspace or its whole mode; null if signing is allowed. */
export async function readQuarantine(sql: Queryable, workspaceId: string): Promise<QuarantineReason | null> {
  const [row] = await sql<{ is_own: boolean; is_of_mode: boolean; waits_for: string | null }[]>`
    select q.workspace_id is not null as is_own, c.waits_for,
      c.server is distinct from ${serverRun(sql)} and c.server is not null as is_of_mode
    from workspaces w left join chains c on c.mode = w.mode left join quarantines q on q.workspace_id = w.id
    where w.id = ${workspaceId}`
  if (row?.is_own)
    return {
      of: "workspace",
      reason: "the chain shows what this workspace's records do not explain; an administrator decides",
    }
  if (!row?.is_of_mode) return null
  return {
    of: "mode",
    reason: row.waits_for ?? "the database was restarted, and is being compared with the chain",
  }
}

/**
 * Refuses requests that need a signature while the books may lack what has landed, because limits and verifications
 * could then be wrong. Call it before anything is written. Errors: chain_unavailable.
 */
export async function refuseInQuarantine(sql: Queryable, workspaceId: string): Promise<void> {
  const quarantine = await readQuarantine(sql, workspaceId)
  if (quarantine) fail("chain_unavailable", `Nothing is signed now: ${quarantine.reason}. Retry later.`)
}

/** Signs nothing for a workspace until these are explained. */
export async function quarantine(
  sql: Queryable,
  workspaceId: string,
  differences: readonly Unexplained[],
): Promise<void> {
  await sql`
    insert into quarantines as q (workspace_id, since, differences)
    values (${workspaceId}, ${clock.now()}, ${sql.json(differences as never)})
    on conflict (workspace_id) do update set differences = q.differences || excluded.differences`
}

export type Quarantined = { workspace_id: string; since: Date; differences: Unexplained[] }

export const readQuarantines = (mode: Mode): Promise<Quarantined[]> =>
  background<Quarantined[]>`
    select q.workspace_id, q.since, q.differences from quarantines q join workspaces w on w.id = q.workspace_id
    where w.mode = ${mode} order by q.since, q.workspace_id`.then((rows) => [...rows])
