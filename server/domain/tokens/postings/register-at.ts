import { LRUCache } from "lru-cache"
import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { readNamed } from "#domain/investor-search"
import { type Principal, requireScope } from "#domain/requests"
import { badCursor } from "#server/lib/cursor.ts"
import { amountText, idOf, instant, listOf, timestamp, wallet } from "#server/lib/fields.ts"
import { addSeconds, toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits, percentOf } from "#shared/amount.ts"
import { readConfig } from "../configs.ts"
import { disclosureFor } from "../holder-facts.ts"
import { finalMoment, type Moment } from "./moments.ts"
import { byInvestor } from "./register-by-investor.ts"
import { inOrder, type RegisterOrder } from "./register-order.ts"
import { byWallet, type OfToken, upToMoment } from "./register-rows.ts"
import { verifiedAt } from "./verified-at.ts"

/** `wallet`: a row for each wallet. `investor`: one for each investor, then for each wallet without one. */
export const registerGroups = ["wallet", "investor"] as const
type Group = (typeof registerGroups)[number]

const SLOT = /^[0-9]{1,15}$/

/** A moment in a request: a time or a slot. */
export const registerMoment = z
  .string()
  .refine(
    (text) => SLOT.test(text) || instant.safeParse(text).success,
    "must be a time such as 2027-01-01T00:00:00Z or the number of a slot",
  )
  .meta({
    description: "A time or the number of a slot; if left out, the last moment that is final",
    example: "2026-01-02T03:04:05Z",
  })
export const momentIn = (text: string) => (SLOT.test(text) ? { slot: Number(text) } : { time: new Date(text) })

const holding = z
  .object({
    user_pubkey: wallet.nullable().meta({
      description: "Wallet address, base58; null for the row of an investor",
      example: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
    }),
    wallets: z.number().int().meta({ description: "Wallets that the row counts", example: 1 }),
    balance: amountText.meta({ description: "Whole tokens that it held", example: "749.5" }),
    percent: z
      .string()
      .regex(/^[0-9]{1,3}(\.[0-9]{1,8})?$/)
      .nullable()
      .meta({
        description: "Its share of all tokens in percent, rounded down to 8 places; null if there were none",
        example: "12.5",
      }),
    available: amountText.meta({ description: "Whole tokens that no hold kept from moving", example: "649.5" }),
    held: amountText.meta({ description: "Whole tokens that holds kept from moving", example: "100" }),
    investor_id: idOf("inv").nullable().meta({
      description: "The investor who owns the wallet now; null unless the key has kyc:read or attestation:read",
      example: "inv_7YbVnQ2tKxWcR5sMpLd8Hf",
    }),
    external_id: z.string().nullable().meta({
      description: "Your own id for the investor; null under the same conditions",
      example: "investor-4711",
    }),
  })
  .meta({ id: "RegisteredHolding" })

export const registerPage = listOf(holding)
  .extend({
    as_of: z.object({
      slot: z.number().int().nullable().meta({
        description: "The slot that was asked for, or the last one in which a balance had changed; null before that",
        example: 285412093,
      }),
      time: timestamp.meta({ description: "Everything that landed up to the end of this second is included" }),
    }),
    supply: amountText.meta({ description: "Whole tokens that existed", example: "5996" }),
    complete: z.boolean().meta({
      description:
        "False if it is not known what holders moved themselves: the mint lacks `pausable`, or no node has the history",
      example: true,
    }),
    incomplete_since: timestamp.nullable().meta({
      description: "Since when, if complete is false; otherwise null",
      example: null,
    }),
  })
  .meta({ id: "Register" })
export type RegisterPage = z.infer<typeof registerPage>

export type RegisterQuestion = {
  mintConfig: string
  at: { slot: number } | { time: Date } | null
  group: Group
  investor: string | null
  /** Names people or wallets. */
  q?: string | undefined
  limit: number
  cursor: string | null
  /** Only rows with a wallet that was not verified at the moment. */
  isUnverified?: boolean
  /** If left out, by id. */
  order?: RegisterOrder | undefined
}

/**
 * Who held how much of a token at a moment. All pages are as of the moment of the first. Errors: mint_config_not_found,
 * not_final_yet, insufficient_scope, chain_not_configured, chain_unavailable, validation_failed for a cursor.
 */
export async function readRegisterAt(
  principal: Principal,
  { mintConfig, at, group, investor, q, limit, cursor, isUnverified = false, order }: RegisterQuestion,
): Promise<RegisterPage> {
  const { workspaceId } = principal
  const maySeeInvestors = disclosureFor(principal).attestations
  if ((group === "investor" || investor !== null) && !maySeeInvestors) requireScope(principal, "attestation:read")
  const place = cursor === null ? null : placeIn(cursor)
  const config = await readConfig(workspaceId, mintConfig, "mint_config")
  const moment = await (place === null
    ? finalMoment(principal, mintConfig, at)
    : stillFinal(principal, mintConfig, place.moment))
  const { supply, slot } = await readTotals(workspaceId, mintConfig, moment)
  const since = await incompleteSince(sql, { workspaceId, mintConfig, moment })
  const named = await readNamed(workspaceId, q)
  const verified = isUnverified ? verifiedAt(workspaceId, config.required_schema, moment) : null
  const after = place?.after ?? null
  const about = { workspaceId, mintConfig, moment, investor, named, verified, after, most: limit + 1 }
  const rows = await (order ? inOrder(about, group, order) : group === "wallet" ? byWallet(about) : byInvestor(about))
  const shown = rows.slice(0, limit)
  const units = (amount: bigint) => fromBaseUnits(amount > 0n ? amount : 0n, config.decimals)
  return {
    data: shown.map((row) => {
      const [balance, held] = [BigInt(row.balance), BigInt(row.held)]
      return {
        user_pubkey: group === "investor" && row.investor_id !== null ? null : row.wallet,
        wallets: row.wallets,
        balance: units(balance),
        percent: percentOf(balance, supply, PLACES)?.replace(/^<.*/, "0") ?? null,
        available: units(balance - held),
        held: units(held),
        investor_id: maySeeInvestors ? row.investor_id : null,
        external_id: maySeeInvestors ? row.external_id : null,
      }
    }),
    next_cursor: rows.length > limit ? toCursor(moment, shown.at(-1)!.key) : null,
    as_of: { slot, time: toTimestamp(moment.time) },
    supply: units(supply),
    complete: since === null,
    incomplete_since: since && toTimestamp(since),
  }
}

/** Decimal places of a percentage. */
const PLACES = 8

type Totals = { supply: bigint; slot: number | null }

/** A final moment does not change, so further pages need not add it all up again. Only final ones are kept. */
const known = new LRUCache<string, Totals>({ max: 1000, ttl: 600_000 })
const nameOf = (workspaceId: string, mintConfig: string, { slot, time }: Moment) =>
  [workspaceId, mintConfig, slot, time.getTime()].join("/")

/** The moment of a cursor, which anyone can write. Errors: not_final_yet, chain_not_configured, chain_unavailable. */
async function stillFinal(principal: Principal, mintConfig: string, moment: Moment): Promise<Moment> {
  if (known.has(nameOf(principal.workspaceId, mintConfig, moment))) return moment
  return finalMoment(principal, mintConfig, moment.slot === null ? moment : { slot: moment.slot })
}

async function readTotals(workspaceId: string, mintConfig: string, moment: Moment): Promise<Totals> {
  const name = nameOf(workspaceId, mintConfig, moment)
  const before = known.get(name)
  if (before) return before
  const rows = await sql<{ supply: string; slot: bigint | null }[]>`
    select coalesce(sum(delta), 0)::text as supply, max(slot) as slot from (
      select delta, slot from postings where ${upToMoment({ workspaceId, mintConfig, moment })}
      union all select delta, slot from holder_movements where ${upToMoment({ workspaceId, mintConfig, moment })}) c`
  const { supply, slot } = only(rows)
  const totals = { supply: BigInt(supply), slot: moment.slot ?? (slot === null ? null : Number(slot)) }
  known.set(name, totals)
  return totals
}

/**
 * From when it is not known what holders moved themselves; null if all of it was at a moment, which must be final. It may
 * change later: if a transaction turns up that nodes had left out, moments that were complete no longer are.
 */
export async function incompleteSince(
  sql: Queryable,
  { workspaceId, mintConfig, moment: { slot, time } }: OfToken,
): Promise<Date | null> {
  const isLost =
    slot === null
      ? sql`p.lost_at < ${addSeconds(time, 1)}`
      : sql`(p.lost_slot < ${slot} or (p.lost_slot is null and p.lost_at < ${addSeconds(time, 1)}))`
  const rows = await sql<{ since: Date | null }[]>`
    select min(case when not coalesce('pausable' = any(c.extensions), c.pausable) then p.since
      when ${isLost} then p.lost_at end) as since
    from holder_periods p join mint_configs c on c.workspace_id = p.workspace_id and c.id = p.mint_config
    where p.workspace_id = ${workspaceId} and p.mint_config = ${mintConfig} and c.minted_at is not null
      and p.since < ${addSeconds(time, 1)} and (p.until is null or p.until >= ${addSeconds(time, 1)})`
  return only(rows).since
}

const toCursor = ({ slot, time }: Moment, key: string): string =>
  Buffer.from(`${slot ?? ""}.${time.getTime() / 1000}/${key}`).toString("base64url")

/** Errors: validation_failed. */
function placeIn(cursor: string): { moment: Moment; after: string } {
  const text = Buffer.from(cursor, "base64url").toString("latin1")
  const found = /^(\d{0,15})\.(\d{1,11})\/(\w{1,80})$/.exec(text)
  if (!found) return badCursor()
  const [, slot, seconds, after] = found as unknown as [string, string, string, string]
  return { moment: { slot: slot === "" ? null : Number(slot), time: new Date(Number(seconds) * 1000) }, after }
}
