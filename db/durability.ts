import { background as sql } from "./client.ts"
import { only } from "./rows.ts"

type Settings = { synchronous_commit: string; standby_names: string; standbys: number }

/**
 * How the database may lose what it has acknowledged, in sentences that say what to do. Nothing is done twice because
 * of that (`server/ledger/restore/`), but answered requests may be lost, and the ledger waits for minutes.
 */
export async function durabilityWarnings(): Promise<string[]> {
  const settings = only(
    await sql<Settings[]>`
      select current_setting('synchronous_commit') as synchronous_commit,
        current_setting('synchronous_standby_names') as standby_names,
        (select count(*)::int from pg_stat_replication where application_name <> 'pg_basebackup') as standbys`,
  )
  return warningsOf(settings)
}

export function warningsOf({ synchronous_commit, standby_names, standbys }: Settings): string[] {
  if (synchronous_commit === "off")
    return [
      "The database may lose the last commits in a crash: synchronous_commit is off. Set it to on, at least for this database: alter database … set synchronous_commit = on",
    ]
  if (standbys === 0 && standby_names === "") return []
  if (synchronous_commit === "local")
    return [
      "A failover may lose the last commits: synchronous_commit is local, so commits do not wait for a standby. Set it to on",
    ]
  if (standby_names === "")
    return [
      "A failover may lose the last commits: no standby is synchronous. Name one in synchronous_standby_names (docs/operations.md)",
    ]
  return []
}
