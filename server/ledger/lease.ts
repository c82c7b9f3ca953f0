import { randomUUID } from "node:crypto"
import { LRUCache } from "lru-cache"
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

/** Workspaces that one worker keeps at the same time, at most. */
const MOST_KEPT = 10_000

/** What one worker has leased. Whether it has, the database says by its own time. */
export class Leases {
  /** By workspace. One that was not renewed for so long has run out. */
  readonly #tokens = new LRUCache<string, string>({ max: MOST_KEPT, ttl: LEASE_SECONDS * 1000 })

  /** Whether it had the workspace when it last asked. */
  mayHold(workspaceId: string): boolean {
    return this.#tokens.has(workspaceId)
  }

  /**
   * Takes or keeps a workspace, with its version as of now. Null when another worker has it. It waits for nobody: a row
   * that is locked stays as it is, and is looked at again in the next turn.
   */
  async take(workspaceId: string): Promise<{ lease: Lease; isNew: boolean } | null> {
    const known = this.#tokens.get(workspaceId) ?? null
    const held = known === null ? null : await readLease(workspaceId, known)
    if (held && !held.isAging) return { lease: held.lease, isNew: false }
    const lease = (await acquire(workspaceId, known)) ?? held?.lease ?? null
    if (lease) this.#tokens.set(workspaceId, lease.token)
    else this.#tokens.delete(workspaceId)
    return lease && { lease, isNew: lease.token !== known }
  }

  /** Whether it is still this worker's, with its version as of now; null when it is not. */
  async again({ workspaceId, token }: Lease): Promise<Lease | null> {
    return (await readLease(workspaceId, token))?.lease ?? null
  }

  /** Lets others go on at once. */
  async release(): Promise<void> {
    const held = [...this.#tokens.entries()]
    this.#tokens.clear()
    await sql`
      update ledger_leases set until = '-infinity'
      where workspace_id = any(${held.map(([workspaceId]) => workspaceId)}) and token = any(${held.map(([, token]) => token)})`
  }
}

async function readLease(workspaceId: string, token: string) {
  const [row] = await sql<{ version: number; is_aging: boolean }[]>`
    select version, until < clock_timestamp() + make_interval(secs => ${LEASE_SECONDS / 2}) as is_aging from ledger_leases
    where workspace_id = ${workspaceId} and token = ${token} and until > clock_timestamp()`
  return row ? { lease: { workspaceId, token, version: row.version }, isAging: row.is_aging } : null
}

/** Renews a lease that is held by `known`, or takes one that nobody holds under a token of its own. */
async function acquire(workspaceId: string, known: string | null): Promise<Lease | null> {
  const fresh = randomUUID()
  const [taken] = await sql<{ token: string; version: number }[]>`
    with free as (
      select from ledger_leases
      where workspace_id = ${workspaceId} and (until <= clock_timestamp() or token = ${known})
      for no key update skip locked
    )
    update ledger_leases set until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
      token = case when token = ${known} and until > clock_timestamp() then token else ${fresh} end
    where workspace_id = ${workspaceId} and exists (select from free) returning token, version`
  if (taken) return { workspaceId, ...taken }
  const [first] = await sql<{ version: number }[]>`
    insert into ledger_leases (workspace_id, token, until)
    values (${workspaceId}, ${fresh}, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict do nothing returning version`
  return first ? { workspaceId, token: fresh, version: first.version } : null
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
