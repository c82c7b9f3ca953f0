import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, only, qualified, type RowOf } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { loadFrozen } from "#domain/screening"
import { badCursor } from "#server/lib/cursor.ts"
import { amountText, idOf, listOf, wallet } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { isWalletAddress } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { ConfigRow } from "./config.ts"
import { readConfig } from "./configs.ts"
import { loadFreezes, toWalletFreeze, walletFreeze } from "./freezes.ts"
import { disclosureFor, loadStandings } from "./holder-facts.ts"
import { availability, availabilityOf, readHeld } from "./holds/available.ts"
import { shouldBeOpen } from "./operations/reconcile-account.ts"

/** `wallet`: by address. `balance`: the largest first. */
export const holderOrders = ["wallet", "balance"] as const
type HolderOrder = (typeof holderOrders)[number]

const holderRecord = z
  .object({
    user_pubkey: wallet,
    balance: amountText.meta({ description: "Whole tokens that it holds", example: "749.5" }),
    incoming: amountText.meta({ description: "Whole tokens in transit to it", example: "0" }),
    outgoing: amountText.meta({ description: "Whole tokens in transit from it", example: "0" }),
    ...availability,
    frozen: z.boolean().meta({
      description:
        "Whether its token account is frozen under the current transfer mode, rules, screening lists and freezes, so that its holder cannot move the tokens; always true in agent mode",
      example: true,
    }),
    wallet_freeze: walletFreeze,
    investor_id: idOf("inv").nullable().meta({
      description: "The investor who owns the wallet; null unless the key has kyc:read or attestation:read",
      example: "inv_7YbVnQ2tKxWcR5sMpLd8Hf",
    }),
    external_id: z.string().nullable().meta({
      description: "Your own id for the investor; null under the same conditions",
      example: "investor-4711",
    }),
  })
  .meta({ id: "TokenHolder" })

export const holderPage = listOf(holderRecord)
  .extend({
    slot: z.number().int().nullable().meta({
      description: "Balances include everything that landed up to this slot; null before anything has landed",
      example: 285412093,
    }),
  })
  .meta({ id: "TokenHolderList" })
export type HolderPage = z.infer<typeof holderPage>

export type RegisterFilter = { mintConfig: string; sort: HolderOrder; limit: number; cursor: string | null }

const holdingColumns = columns("holdings", "wallet, balance, incoming, outgoing")
type Row = RowOf<typeof holdingColumns> & { investor_id: string | null; external_id: string | null }

/**
 * Wallets that hold a token in the books or are about to. Sorted by wallet, a wallet that holds it throughout is on
 * exactly one page, whatever changes in the meantime. Errors: mint_config_not_found, validation_failed for a cursor.
 */
export async function readRegister(
  principal: Principal,
  { mintConfig, sort, limit, cursor }: RegisterFilter,
): Promise<HolderPage> {
  const { workspaceId } = principal
  const after = cursor === null ? null : fromPlace(sort, cursor)
  const config = await readConfig(workspaceId, mintConfig, "mint_config")
  // Read before the balances, so that the balances include everything up to it.
  const slot = await readBooksSlot(principal)
  const place = after === null ? sql`` : placeAfter(sort, after)
  const order = sort === "wallet" ? sql`wallet` : sql`balance desc, wallet`
  const rows = await sql<Row[]>`
    select ${sql(qualified("h", holdingColumns))}, i.id as investor_id, i.external_id
    from (
      select ${sql(holdingColumns)} from holdings
      where workspace_id = ${workspaceId} and mint_config = ${mintConfig}
        and (balance > 0 or incoming > 0 or outgoing > 0) ${place}
      order by ${order} limit ${limit + 1}
    ) h cross join lateral wallet_owner(${workspaceId}, h.wallet) o
    left join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id
    order by ${order}`
  const shown = rows.slice(0, limit)
  const keys = shown.map(({ wallet }) => ({ config: config.id, wallet }))
  const [isOpen, heldOf, freezesOf] = await Promise.all([
    readOpen(principal, config, shown),
    readHeld(sql, workspaceId, keys),
    loadFreezes(
      sql,
      workspaceId,
      shown.map(({ wallet }) => wallet),
    ),
  ])
  const units = (amount: string) => fromBaseUnits(BigInt(amount), config.decimals)
  const maySeeInvestors = disclosureFor(principal).attestations
  return {
    data: shown.map((row, i) => ({
      user_pubkey: row.wallet,
      // In holder mode, more may have left through Vouch than came in through Vouch.
      balance: row.balance.startsWith("-") ? "0" : units(row.balance),
      incoming: units(row.incoming),
      outgoing: units(row.outgoing),
      ...availabilityOf(
        { balance: BigInt(row.balance), outgoing: BigInt(row.outgoing) },
        heldOf(keys[i]!),
        config.decimals,
      ),
      frozen: !isOpen(row.wallet),
      wallet_freeze: toWalletFreeze(freezesOf({ config: config.id, wallet: row.wallet })),
      investor_id: maySeeInvestors ? row.investor_id : null,
      external_id: maySeeInvestors ? row.external_id : null,
    })),
    next_cursor: rows.length > limit ? toPlace(sort, shown.at(-1)!) : null,
    slot,
  }
}

async function readOpen(
  { workspaceId }: Principal,
  config: ConfigRow,
  holders: readonly { wallet: Address }[],
): Promise<(wallet: Address) => boolean> {
  if (config.transfer_mode === "agent" || holders.length === 0) return () => false
  const now = clock.now()
  const wallets = holders.map(({ wallet }) => wallet)
  const wanted = wallets.map((wallet) => ({ schemaId: config.required_schema, wallet }))
  const [standings, frozen] = await Promise.all([
    loadStandings(sql, workspaceId, wanted, now),
    loadFrozen(sql, workspaceId, wallets, now),
  ])
  return (wallet) => !frozen.has(wallet) && shouldBeOpen(config, wallet, standings)
}

/** Later operations land later, with few exceptions. The last to land is among this many. */
const RECENT = 64

/**
 * The slot up to which everything that landed is in the books; null before anything has landed. A transaction that is
 * signed and not settled may have landed in any slot since its blockhash was read.
 */
export async function readBooksSlot({
  workspaceId,
  mode,
}: Pick<Principal, "workspaceId" | "mode">): Promise<number | null> {
  const rows = await sql<{ settled: bigint | null; unsettled: bigint | null }[]>`
    select
      (select max(slot) from (
        select slot from transactions where workspace_id = ${workspaceId} and status = 'confirmed'
        order by created_at desc limit ${RECENT}) t) as settled,
      (select min(coalesce(signed_slot, 1)) - 1 from transactions
        where mode = ${mode} and workspace_id = ${workspaceId} and status = 'saved') as unsettled`
  const { settled, unsettled } = only(rows)
  if (settled === null) return null
  return Number(unsettled === null || unsettled > settled ? settled : unsettled)
}

// Balances change between pages, so a cursor holds the values that the list is ordered by.
export const toPlace = (sort: HolderOrder, { balance, wallet }: Pick<Row, "balance" | "wallet">): string =>
  Buffer.from(sort === "wallet" ? wallet : `${balance}/${wallet}`).toString("base64url")

type Place = { balance: string; wallet: Address }

export function fromPlace(sort: HolderOrder, cursor: string): Place {
  const text = Buffer.from(cursor, "base64url").toString("latin1")
  const [, balance = "", wallet = ""] = /^(?:(-?[0-9]{1,39})\/)?(\w{1,44})$/.exec(text) ?? []
  if (!isWalletAddress(wallet) || (balance === "") !== (sort === "wallet")) return badCursor()
  return { balance, wallet }
}

export const placeAfter = (sort: HolderOrder, { balance, wallet }: Place) =>
  sort === "wallet"
    ? sql`and wallet > ${wallet}`
    : sql`and (balance < ${balance}::numeric or (balance = ${balance}::numeric and wallet > ${wallet}))`
