import { z } from "zod"
import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { actorOf, recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { followFreeze } from "#domain/token-accounts"
import { named, timestamp, wallet } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { type ReasonCode, reasonCodes } from "#shared/movements.ts"
import { loadConfigs, refuse, unknownConfig } from "./config.ts"
import { EVERY_TOKEN } from "./holder-facts.ts"

const reasonCode = z.enum(reasonCodes)

/** A freeze, in the records of a wallet that is frozen. */
export const walletFreeze = z
  .object({
    since: timestamp,
    reason_code: reasonCode.meta({ description: "Why it was frozen", example: "court_order" }),
  })
  .nullable()
  .meta({
    description:
      "Since when and why the workspace has frozen the wallet, for this token or for every token; null if it has not",
    example: null,
  })
export type WalletFreeze = z.infer<typeof walletFreeze>

export const freezeRecord = z
  .object({
    user_pubkey: wallet,
    mint_config: named.nullable().meta({ description: "Mint configuration; null for every token", example: null }),
    frozen: z.boolean().meta({
      description: "Whether the wallet is frozen now. A freeze for every token counts for each",
      example: true,
    }),
    since: timestamp.nullable().meta({ description: "Null unless frozen" }),
    reason_code: reasonCode.nullable().meta({
      description: "Why it was frozen; null unless frozen",
      example: "court_order",
    }),
  })
  .meta({ id: "WalletFreeze" })
type FreezeRecord = z.infer<typeof freezeRecord>

const freezeColumns = columns("wallet_freezes", "wallet, mint_config, reason_code, reference, frozen_at")
type FreezeRow = RowOf<typeof freezeColumns>

type Freezing = Command & {
  wallet: Address
  /** Null for every token. */
  mintConfig: string | null
  reasonCode: ReasonCode
  reference: string
  replay?: Replay
}

/** The body of a request to lift a freeze, as an approval stores it. */
export type StoredUnfreeze = {
  user_pubkey: Address
  mint_config: string | null
  reason_code: ReasonCode
  reference: string
}

/**
 * Freezes a wallet for one token or for every token, or lifts that freeze. Each freeze is separate: lifting one leaves
 * the other. Freezing twice and lifting twice change nothing. Lifting one may need approval. Errors:
 * unknown_mint_config, approver_missing; throws AwaitingApproval.
 */
export async function setFrozen({ frozen, ...command }: Freezing & { frozen: boolean }): Promise<FreezeRecord> {
  const { principal, requestId, idempotency, wallet, mintConfig, reasonCode, reference, replay } = command
  const { workspaceId } = principal
  if (idempotency?.begun) return readFreeze(sql, command)
  const author = { principal, requestId }
  const set = async (sql: Transaction) => {
    if (idempotency) await claimKey(sql, idempotency, wallet)
    const isChanged = await (frozen ? insertFreeze : deleteFreeze)(sql, command)
    if (isChanged) {
      await followFreeze(sql, { workspaceId, wallet, mintConfig })
      const action = frozen ? "wallet.frozen" : "wallet.unfrozen"
      const detail = { mint_config: mintConfig, reason_code: reasonCode, reference }
      await recordChange(sql, workspaceId, { author, action, subject: wallet, detail })
    }
  }
  const decided = await sql.begin(async (sql): Promise<Decided<void>> => {
    if (mintConfig !== null) {
      const configs = await loadConfigs(sql, workspaceId, [mintConfig], { lock: false })
      if (!configs.has(mintConfig)) refuse(unknownConfig(mintConfig))
    }
    if (frozen) return { done: await set(sql) }
    const freeze = await lockFreeze(sql, command)
    // Deletes nothing: a freeze that was placed since may need approval to be lifted.
    if (freeze === null) return { done: idempotency ? await claimKey(sql, idempotency, wallet) : undefined }
    const request: StoredUnfreeze = { user_pubkey: wallet, mint_config: mintConfig, reason_code: reasonCode, reference }
    // A later freeze of the same wallet is another decision.
    const rules = freeze.frozen_at.toISOString()
    const about = { subject: wallet, request, mint_config: mintConfig, isAboutAll: mintConfig === null, rules }
    return underPolicy(sql, workspaceId, { action: "unfreeze", ...about, author, idempotency, replay }, set)
  })
  publish("ledger")
  publishActivity(workspaceId)
  doneOf(decided)
  return readFreeze(sql, command)
}

async function lockFreeze(sql: Queryable, { principal, wallet, mintConfig }: Freezing): Promise<FreezeRow | null> {
  const [row] = await sql<FreezeRow[]>`
    select ${sql(freezeColumns)} from wallet_freezes
    where workspace_id = ${principal.workspaceId} and wallet = ${wallet} and mint_config = ${mintConfig ?? EVERY_TOKEN}
    for update`
  return row ?? null
}

async function insertFreeze(sql: Queryable, { principal, requestId, ...freezing }: Freezing): Promise<boolean> {
  const { actor, id } = actorOf({ principal, requestId })
  const { wallet, mintConfig, reasonCode, reference } = freezing
  const inserted = await sql`
    insert into wallet_freezes
      (workspace_id, wallet, mint_config, reason_code, reference, actor, actor_id, frozen_at)
    values (${principal.workspaceId}, ${wallet}, ${mintConfig ?? EVERY_TOKEN}, ${reasonCode}, ${reference}, ${actor}, ${id},
      ${clock.now()})
    on conflict do nothing returning wallet`
  return inserted.length > 0
}

async function deleteFreeze(sql: Queryable, { principal, wallet, mintConfig }: Freezing): Promise<boolean> {
  const deleted = await sql`
    delete from wallet_freezes
    where workspace_id = ${principal.workspaceId} and wallet = ${wallet} and mint_config = ${mintConfig ?? EVERY_TOKEN}
    returning wallet`
  return deleted.length > 0
}

async function readFreeze(sql: Queryable, { principal, wallet, mintConfig }: Freezing): Promise<FreezeRecord> {
  const freezesOf = await loadFreezes(sql, principal.workspaceId, [wallet])
  const freeze = toWalletFreeze(freezesOf({ config: mintConfig ?? EVERY_TOKEN, wallet }))
  return {
    user_pubkey: wallet,
    mint_config: mintConfig,
    frozen: freeze !== null,
    since: freeze?.since ?? null,
    reason_code: freeze?.reason_code ?? null,
  }
}

/** The freezes that bind a wallet for a token, oldest first: the one for it, and the one for every token. */
export async function loadFreezes(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly Address[],
): Promise<(of: { config: string; wallet: Address }) => FreezeRow[]> {
  const rows = await sql<FreezeRow[]>`
    select ${sql(freezeColumns)} from wallet_freezes
    where workspace_id = ${workspaceId} and wallet = any(${wallets as Address[]}) order by frozen_at`
  const byWallet = Map.groupBy(rows, (row) => row.wallet)
  return ({ config, wallet }) =>
    byWallet.get(wallet)?.filter(({ mint_config }) => mint_config === config || mint_config === EVERY_TOKEN) ?? []
}

export const toWalletFreeze = ([first]: FreezeRow[]): WalletFreeze =>
  first ? { since: toTimestamp(first.frozen_at), reason_code: first.reason_code } : null

/** The freezes of a wallet for members, who can lift each of them and also see the reference. */
export const shownFreezes = z.array(
  z.object({ is_for_every_token: z.boolean(), since: timestamp, reason_code: reasonCode, reference: z.string() }),
)

export const toShownFreezes = (rows: FreezeRow[]): z.infer<typeof shownFreezes> =>
  rows.map(({ mint_config, frozen_at, reason_code, reference }) => ({
    is_for_every_token: mint_config === EVERY_TOKEN,
    since: toTimestamp(frozen_at),
    reason_code,
    reference,
  }))
