import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { badCursor } from "#server/lib/cursor.ts"
import { amountText, idOf, listOf, named, timestamp } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { Exemption } from "#shared/lots.ts"
import { unlockOf } from "#shared/rules/holding-period.ts"
import { type ConfigRow, configColumns, refuse, unknownConfig } from "../config.ts"
import { loadStandings } from "../holder-facts.ts"
import { exemptionField } from "./mint-lot.ts"

const lotRecord = z
  .object({
    lot_id: idOf("lot").meta({ example: "lot_7YbVnQ2tKxWcR5sMpLd8Hf" }),
    mint_config: named.meta({ example: "us_real_estate_fund_v1" }),
    amount: amountText.meta({ description: "Whole tokens that are left of it", example: "250" }),
    acquired_at: timestamp.nullable().meta({
      description: "When the wallet acquired them; null if that is not known",
      example: "2026-01-02T03:04:05Z",
    }),
    exemption: exemptionField,
    locked: z.boolean().meta({
      description: "Whether the token's holding period keeps them from being transferred now",
      example: true,
    }),
    locked_until: timestamp.nullable().meta({
      description:
        "When that ends. Null if they are not locked, or if that is not known: they have no date, or their holder has no country",
      example: "2027-01-02T03:04:05Z",
    }),
  })
  .meta({ id: "Lot" })
type LotRecord = z.infer<typeof lotRecord>

export const lotPage = listOf(lotRecord).meta({ id: "LotList" })
type LotPage = z.infer<typeof lotPage>

const lotColumns = columns("lots", "id, seq, units, acquired_at, exemption")
type LotRow = RowOf<typeof lotColumns, { exemption: Exemption }>

export type LotFilter = { mintConfig: string; wallet: Address; limit: number; cursor: string | null }

/**
 * A wallet's lots of a token, the oldest first, as transfers take them. Errors: unknown_mint_config, validation_failed for
 * a cursor.
 */
export async function listLots(
  { workspaceId }: Principal,
  { mintConfig, wallet, limit, cursor }: LotFilter,
): Promise<LotPage> {
  const after = cursor === null ? null : fromPlace(cursor)
  const [config] = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} and id = ${mintConfig}`
  if (!config) return refuse(unknownConfig(mintConfig))
  const rows = await sql<LotRow[]>`
    select ${sql(lotColumns)} from lots
    where workspace_id = ${workspaceId} and mint_config = ${mintConfig} and wallet = ${wallet}
      ${after === null ? sql`` : placeAfter(after)}
    order by acquired_at, seq limit ${limit + 1}`
  const of = { schemaId: config.required_schema, wallet }
  const claims = (await loadStandings(sql, workspaceId, [of], clock.now())).claims(of)
  const period = config.rules.holding_period_days
  const now = clock.now()
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(({ id, units, acquired_at, exemption }): LotRecord => {
      const unlock = period === undefined ? "unlocked" : unlockOf(period, claims, acquired_at, now)
      return {
        lot_id: id,
        mint_config: mintConfig,
        amount: fromBaseUnits(BigInt(units), config.decimals),
        acquired_at: acquired_at && toTimestamp(acquired_at),
        exemption,
        locked: unlock !== "unlocked",
        locked_until: unlock instanceof Date ? toTimestamp(unlock) : null,
      }
    }),
    next_cursor: rows.length > limit ? toPlace(shown.at(-1)!) : null,
  }
}

// A lot can be used up between two pages, so a cursor holds what the list is ordered by.
const toPlace = ({ acquired_at, seq }: LotRow): string =>
  Buffer.from(`${acquired_at?.getTime() ?? ""}/${seq}`).toString("base64url")

const [FIRST, LAST] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")]

type Place = { acquiredAt: Date | null; seq: string }

function fromPlace(cursor: string): Place {
  const [, time, seq] =
    /^(-?[0-9]{1,15})?\/([0-9]{1,18})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? []
  if (seq === undefined) return badCursor()
  const acquiredAt = time === undefined ? null : new Date(Number(time))
  // No other date can be one of a lot.
  const isDate = acquiredAt === null || (acquiredAt.getTime() >= FIRST && acquiredAt.getTime() <= LAST)
  return isDate ? { acquiredAt, seq } : badCursor()
}

const placeAfter = ({ acquiredAt, seq }: Place) =>
  acquiredAt === null
    ? sql`and acquired_at is null and seq > ${seq}`
    : sql`and (acquired_at is null or (acquired_at, seq) > (${acquiredAt}, ${seq}))`
