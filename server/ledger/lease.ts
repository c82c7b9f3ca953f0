import { randomUUID } from "node:crypto"
import { LRUCache } from "lru-cache"
import { type Queryable, backgroundShort as short, background as sql } from "#db/client.ts"

/** How long a stopped worker still keeps others from a workspace: twice the time that signing a batch may take. */
const LEASE_SECONDS = 6

/** A workspace leased by this worker, as of the start of a batch. */
export type Lease = {
  workspaceId: string
  /** Changes each time the lease is taken. Nothing is saved under the token of a lease that was taken over. */
  token: string
  /** Increases with each change that may invalidate plans; see `voidPlans`. */
  version: number
}

const MOST_KEPT = 10_000

/** The leases of one worker. The database decides by its own clock whether it holds one. */
export class Leases {
  /** By workspace. A lease that was not renewed in time has expired. */
  readonly #tokens = new LRUCache<string, string>({ max: MOST_KEPT, ttl: LEASE_SECONDS * 1000 })

  mayHold(workspaceId: string): boolean {
    return this.#tokens.has(workspaceId)
  }

  /**
   * Takes or keeps a workspace and returns its current version. Null if another worker has it, or its row is locked.
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

  /** Whether this worker still holds it, with its current version; null if not. */
  async reread({ workspaceId, token }: Lease): Promise<Lease | null> {
    return (await readLease(workspaceId, token))?.lease ?? null
  }

  /** Releases all leases, so that other workers can take the workspaces at once. */
  async release(): Promise<void> {
    const held = [...this.#tokens.entries()]
    this.#tokens.clear()
    await sql`
      update ledger_leases set until = '-infinity'
      where workspace_id = any(${held.map(([workspaceId]) => workspaceId)}) and token = any(${held.map(([, token]) => token)})`
  }
}

async function readLease(workspaceId: string, token: string) {
  const [row] = await short<{ version: number; is_aging: boolean }[]>`
    select version, until < clock_timestamp() + make_interval(secs => ${LEASE_SECONDS / 2}) as is_aging from ledger_leases
    where workspace_id = ${workspaceId} and token = ${token} and until > clock_timestamp()`
  return row ? { lease: { workspaceId, token, version: row.version }, isAging: row.is_aging } : null
}

/** Renews a lease that `known` holds, or takes a free one under a new token. */
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
 * Makes a workspace's operations that are being signed be planned again before they are saved. Call it in the
 * transaction of a change that they must respect, such as a pause: what is saved later respects it.
 */
export async function voidPlans(sql: Queryable, workspaceId: string): Promise<void> {
  await sql`
    insert into ledger_leases (workspace_id, version) values (${workspaceId}, 1)
    on conflict (workspace_id) do update set version = ledger_leases.version + 1`
}
