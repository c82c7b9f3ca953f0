import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { type OperationRecord, toOperationRecord } from "#domain/tokens"
import type { Address } from "#shared/address.ts"
import { findOperations } from "./operations.ts"

/** The newest operations, and the newest changes of wallets, in the timeline. */
const NEWEST = 50

const changes = {
  "wallet.frozen": "frozen",
  "wallet.unfrozen": "unfrozen",
  "wallet.barred": "reported_lost",
  "wallet.unbarred": "no_longer_lost",
} as const

/** An operation in the timeline, with its token's symbol. */
export type Moved = Pick<
  OperationRecord,
  "operation_id" | "kind" | "mint_config" | "amount" | "recovery_id" | "user_pubkey" | "from_pubkey" | "to_pubkey"
> & { symbol: string }

export type ActivityMoment = {
  at: Date
  user_pubkey: Address | null
  /** The member's reference; for an operation none. */
  reason: string | null
  /** The token that moved or was frozen; null for a change of the whole wallet. */
  symbol: string | null
} & (
  | { event: (typeof changes)[keyof typeof changes]; operation: null; recovery_id: string | null }
  | { event: "moved"; operation: Moved; recovery_id: null }
)

type Change = {
  action: keyof typeof changes
  subject: Address
  at: Date
  mint_config: string | null
  reference: string | null
  recovery: string | null
}

/** What moved in and out of an investor's wallets, and what members did to the wallets, newest first. */
export async function readActivity(
  { workspaceId }: Pick<Principal, "workspaceId">,
  wallets: readonly Address[],
): Promise<{ moments: ActivityMoment[]; has_earlier: boolean }> {
  if (wallets.length === 0) return { moments: [], has_earlier: false }
  const [operations, entries, tokens] = await Promise.all([
    findOperations(workspaceId, { wallets, isFailed: false, before: null, limit: NEWEST + 1 }),
    sql<Change[]>`
      select action, subject, at, detail ->> 'mint_config' as mint_config, detail ->> 'reference' as reference,
        detail ->> 'recovery' as recovery
      from audit_entries
      where account_id = (select account_id from workspaces where id = ${workspaceId})
        and workspace_id = ${workspaceId} and subject = any(${wallets as Address[]}::text[])
        and action = any(${Object.keys(changes)})
      order by seq desc limit ${NEWEST + 1}`,
    sql<{ id: string; symbol: string }[]>`select id, symbol from mint_configs where workspace_id = ${workspaceId}`,
  ])
  const symbolOf = (id: string) => tokens.find((token) => token.id === id)?.symbol ?? id
  const moved = operations.slice(0, NEWEST).flatMap((row): ActivityMoment[] => {
    if (row.status !== "confirmed" || row.finished_at === null) return []
    const { operation_id, kind, mint_config, amount, recovery_id, user_pubkey, from_pubkey, to_pubkey } =
      toOperationRecord(row)
    const symbol = symbolOf(mint_config)
    const operation = {
      ...{ operation_id, kind, mint_config, amount, recovery_id, symbol },
      ...(user_pubkey ? { user_pubkey } : { from_pubkey, to_pubkey }),
    }
    const own = [row.wallet, row.from_wallet].find((wallet) => wallet !== null && wallets.includes(wallet)) ?? null
    return [
      { event: "moved", at: row.finished_at, user_pubkey: own, reason: null, symbol, operation, recovery_id: null },
    ]
  })
  const changed = entries.slice(0, NEWEST).map(
    ({ action, subject, at, mint_config, reference, recovery }): ActivityMoment => ({
      ...{ event: changes[action], at, user_pubkey: subject, reason: reference, operation: null },
      ...{ symbol: mint_config === null ? null : symbolOf(mint_config), recovery_id: recovery },
    }),
  )
  return { moments: [...moved, ...changed], has_earlier: operations.length > NEWEST || entries.length > NEWEST }
}
