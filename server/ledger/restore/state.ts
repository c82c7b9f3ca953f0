import { background, type Queryable } from "#db/client.ts"
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
  /** The server and timeline that were last compared with the chain; null if none were. */
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
