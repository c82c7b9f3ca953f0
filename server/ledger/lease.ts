import { randomUUID } from "node:crypto"
import { type Queryable, background as sql } from "#db/client.ts"

/** How long a worker that is gone keeps others from a workspace. Twice as long as a turn may take to be signed. */
const LEASE_SECONDS = 6

/** A workspace that is a worker's to move along, as it was when a turn of it began. */
export type Lease = {
  workspaceId: string
  /** Another one each time that the lease is taken. Nothing is saved under one that has been taken over. */
  token: string
  /** Goes up with each change that what has been planned may not survive; see `voidPlans`. */
  version: number
}

/** What one worker has leased. All of it goes by the time of the database. */
export class Leases {
  readonly #tokens = new Map<string, string>()

  /**
   * Takes or keeps a workspace, with its version as of now. Null when another worker has it. It waits for nobody: a row
   * that is locked stays as it is, and is looked at again in the next turn.
   */
  async take(workspaceId: string): Promise<Lease | null> {
    const token = this.#tokens.get(workspaceId)
    const held = token === undefined ? null : await readLease(workspaceId, token)
    if (held && !held.isAging) return held.lease
    const renewed = await acquire(workspaceId, held ? token! : randomUUID())
    if (renewed) this.#tokens.set(workspaceId, renewed.token)
    else if (!held) this.#tokens.delete(workspaceId)
    return renewed ?? held?.lease ?? null
  }

  /** Whether it is still this worker's, with its version as of now; null when it is not. */
  async again({ workspaceId, token }: Lease): Promise<Lease | null> {
    return (await readLease(workspaceId, token))?.lease ?? null
  }

  /** Lets others go on at once. */
  async release(): Promise<void> {
    const tokens = [...this.#tokens.values()]
    this.#tokens.clear()
    await sql`update ledger_leases set until = '-infinity' where token = any(${tokens})`
  }
}

async function readLease(workspaceId: string, token: string) {
  const [row] = await sql<{ version: number; is_aging: boolean }[]>`
    select version, until < clock_timestamp() + make_interval(secs => ${LEASE_SECONDS / 2}) as is_aging from ledger_leases
    where workspace_id = ${workspaceId} and token = ${token} and until > clock_timestamp()`
  return row ? { lease: { workspaceId, token, version: row.version }, isAging: row.is_aging } : null
}

async function acquire(workspaceId: string, token: string): Promise<Lease | null> {
  const [taken] = await sql<{ version: number }[]>`
    with free as (
      select from ledger_leases
      where workspace_id = ${workspaceId} and (until <= clock_timestamp() or token = ${token})
      for no key update skip locked
    )
    update ledger_leases set token = ${token}, until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where workspace_id = ${workspaceId} and exists (select from free) returning version`
  if (taken) return { workspaceId, token, version: taken.version }
  const [first] = await sql<{ version: number }[]>`
    insert into ledger_leases (workspace_id, token, until)
    values (${workspaceId}, ${token}, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict do nothing returning version`
  return first ? { workspaceId, token, version: first.version } : null
}

/**
 * Has everything of a workspace that is being signed planned again before it is saved. Call it in the transaction of a
 * change that operations in the queue must not outrun, such as a pause or the end of a verification: what is saved
 * before that commits went before the change, and what is saved after goes by it.
 */
export async function voidPlans(sql: Queryable, workspaceId: string): Promise<void> {
  await sql`
    insert into ledger_leases (workspace_id, version) values (${workspaceId}, 1)
    on conflict (workspace_id) do update set version = ledger_leases.version + 1`
}
