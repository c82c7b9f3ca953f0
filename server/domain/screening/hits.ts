import { type Queryable, repeatOnDeadlock, sql as requests, type Sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { recordChange, vouch } from "#domain/audit-log"
import { openReview } from "#domain/reviews"
import { followFreeze } from "#domain/token-accounts"
import { logger } from "#server/lib/log.ts"
import { clock, formatDay } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import { refusedWallet } from "#shared/rules/listed.ts"
import { findListed, type ListedWallet } from "./listed.ts"
import { readPolicies } from "./policies.ts"
import type { ListVersion } from "./stored-lists.ts"

/**
 * Records that a wallet is on a list, in the caller's transaction: once for each wallet and list, with the list's
 * version and a review. Freezes its tokens if the policy says so. An erasure closes the review undecided, so the next
 * match opens another. Returns whether anything was new. If so, the caller publishes `ledger` and the activity after
 * the commit.
 */
export async function recordHit(sql: Queryable, workspaceId: string, { wallet, list }: ListedWallet): Promise<boolean> {
  const { name, digest, entries, loaded_at } = list
  const now = clock.now()
  // A cleared wallet that is still on the list stays cleared.
  const [fresh] = await sql`
    insert into screening_hits (workspace_id, wallet, list, digest, entries, loaded_at, found_at)
    values (${workspaceId}, ${wallet}, ${name}, ${digest}, ${entries}, ${loaded_at}, ${now})
    on conflict (workspace_id, wallet, list) do update
      set digest = excluded.digest, entries = excluded.entries, loaded_at = excluded.loaded_at,
        found_at = excluded.found_at, gone_at = null, cleared_at = null,
        frozen_at = case when screening_hits.gone_at is null then screening_hits.frozen_at end
      where screening_hits.gone_at is not null or (screening_hits.cleared_at is null and exists (
        select from reviews r where r.workspace_id = ${workspaceId} and r.id = screening_hits.review_id and r.ending = 'erased'))
    returning wallet`
  if (fresh) await openHit(sql, workspaceId, wallet, list)
  const frozen = await freezeIfChosen(sql, workspaceId, { wallet, list: name, now })
  return fresh !== undefined || frozen
}

/**
 * Records matches again for wallets that other people still use, in the transaction of the erasure that closed the
 * review. Otherwise no review could decide a held approval.
 */
export async function reopenErased(sql: Queryable, workspaceId: string, wallets: readonly Address[]): Promise<void> {
  const used = await sql<{ wallet: Address }[]>`
    select distinct wallet from attestations
    where workspace_id = ${workspaceId} and wallet = any(${wallets as Address[]})
      and erased_at is null and status in ('pending', 'verified')`
  const listed = await findListed(
    sql,
    workspaceId,
    used.map(({ wallet }) => wallet),
  )
  for (const hit of listed) await recordHit(sql, workspaceId, hit)
}

/**
 * Opens a review of the reason why a wallet's tokens are frozen, if none is open: a match that was decided, with a list
 * that the settings no longer name. Runs in the transaction that verifies the wallet again.
 */
export async function reopenFrozen(sql: Queryable, workspaceId: string, wallet: Address): Promise<void> {
  const hits = await sql<ListVersion[]>`
    select h.list as name, h.digest, h.entries, h.loaded_at from screening_hits h
    join reviews r on r.workspace_id = h.workspace_id and r.id = h.review_id
    where h.workspace_id = ${workspaceId} and h.wallet = ${wallet} and h.frozen_at is not null
      and h.cleared_at is null and h.gone_at is null and r.state = 'closed'
    order by h.list`
  for (const list of hits) await openHit(sql, workspaceId, wallet, list)
}

async function openHit(sql: Queryable, workspaceId: string, wallet: Address, list: ListVersion): Promise<void> {
  const { reviewId } = await openReview(sql, {
    workspaceId,
    kind: "screening",
    about: { wallet },
    finding: "wallet_listed",
    detail: versionText(list),
  })
  await sql`
    update screening_hits set review_id = ${reviewId}
    where workspace_id = ${workspaceId} and wallet = ${wallet} and list = ${list.name}`
}

/** The list's version, as the review shows it. */
const versionText = ({ name, digest, entries, loaded_at }: ListVersion): string =>
  `${name}: ${entries} ${entries === 1 ? "address" : "addresses"}, loaded ${formatDay(loaded_at)}, SHA-256 ${digest}`

async function freezeIfChosen(
  sql: Queryable,
  workspaceId: string,
  { wallet, list, now }: { wallet: Address; list: string; now: Date },
): Promise<boolean> {
  const { wallet_listed } = await readPolicies(sql, workspaceId)
  if (wallet_listed !== "freeze") return false
  const [frozen] = await sql`
    update screening_hits set frozen_at = ${now}
    where workspace_id = ${workspaceId} and wallet = ${wallet} and list = ${list}
      and frozen_at is null and cleared_at is null and gone_at is null
    returning wallet`
  if (!frozen) return false
  await followFreeze(sql, { workspaceId, wallet, mintConfig: null })
  await recordChange(sql, workspaceId, { author: vouch, action: "wallet.frozen", subject: wallet, detail: { list } })
  return true
}

/** Records hits with a transaction for each wallet and list, so that a failure does not affect the others. */
export async function recordHits(database: Sql, workspaceId: string, hits: readonly ListedWallet[]): Promise<number> {
  let fresh = 0
  for (const hit of hits) {
    const isNew = await repeatOnDeadlock(() => database.begin((sql) => recordHit(sql, workspaceId, hit)))
    if (isNew) fresh += 1
  }
  if (fresh === 0) return 0
  publish("ledger")
  publishActivity(workspaceId)
  return fresh
}

/** Errors: wallet_sanctioned. A member can clear the wallet in its review. */
export async function refuseListed(workspaceId: string, wallet: Address): Promise<void> {
  const listed = await findListed(requests, workspaceId, [wallet])
  if (listed.length === 0) return
  await recordHits(requests, workspaceId, listed)
  fail("wallet_sanctioned", refusedWallet(wallet))
}

/** Records the matches of a refused request, after it is answered. */
export function noteRefused(workspaceId: string, wallets: readonly Address[]): void {
  void findListed(requests, workspaceId, wallets)
    .then((listed) => recordHits(requests, workspaceId, listed))
    .catch((error) =>
      logger.warn(
        { err: error, workspaceId },
        "could not open a review of a refused wallet; the next refusal will open it",
      ),
    )
}
