import { type Queryable, sql as statement } from "#db/client.ts"
import { prepared } from "#db/prepared.ts"
import type { Address } from "#shared/address.ts"
import type { Exemption } from "#shared/lots.ts"
import { type Holding, type HoldingKey, keyName } from "../holder-facts.ts"
import { LotBook, type LotMove } from "./lot-book.ts"

/** How many of a wallet's lots are read at first, and how many times more each time these do not cover what is taken. */
const FIRST = 64
const MORE = 4

type Oldest = { workspaceId: string; keys: readonly HoldingKey[]; limit: number }
type LotRow = {
  id: string
  mint_config: string
  wallet: Address
  seq: bigint
  units: string
  acquired_at: Date | null
  exemption: Exemption
  parent: string | null
  operation_id: string | null
}

/** The oldest lots of wallets, in order. The index returns them, so what a wallet has beyond them costs nothing. */
const selectOldest = prepared<Oldest, LotRow>(
  (value) => statement`
    select l.id, l.mint_config, l.wallet, l.seq, l.units, l.acquired_at, l.exemption, l.parent, l.operation_id
    from unnest(${value(({ keys }) => keys.map(({ config }) => config))}::text[],
      ${value(({ keys }) => keys.map(({ wallet }) => wallet))}::text[]) as t(config, wallet)
    cross join lateral (
      select * from lots where workspace_id = ${value(({ workspaceId }) => workspaceId)} and mint_config = t.config
        and wallet = t.wallet
      order by acquired_at, seq limit ${value(({ limit }) => limit)}) l`,
)

type Made = ReturnType<LotBook["changes"]>["made"]

const insertLots = prepared<{ workspaceId: string; made: Made }, never>(
  (value) => statement`
    insert into lots (workspace_id, id, mint_config, wallet, units, acquired_at, exemption, parent, operation_id)
    select ${value(({ workspaceId }) => workspaceId)}, t.*
    from unnest(${value(({ made }) => made.map(({ id }) => id))}::text[],
      ${value(({ made }) => made.map(({ key }) => key.config))}::text[],
      ${value(({ made }) => made.map(({ key }) => key.wallet))}::text[],
      ${value(({ made }) => made.map(({ units }) => units.toString()))}::numeric[],
      ${value(({ made }) => made.map(({ acquiredAt }) => acquiredAt?.toISOString() ?? null))}::timestamptz[],
      ${value(({ made }) => made.map(({ exemption }) => exemption))}::text[],
      ${value(({ made }) => made.map(({ parent }) => parent))}::text[],
      ${value(({ made }) => made.map(({ operationId }) => operationId))}::text[])
      as t(id, mint_config, wallet, units, acquired_at, exemption, parent, operation_id)`,
)

/**
 * The lots that operations move, between the lock of their holdings and the statements that write them. Under that lock no
 * one else changes them. A balance that changes without lots is followed by the database (db/functions/lots.sql).
 */
export class FollowedLots {
  readonly #workspaceId: string
  readonly #moves: readonly LotMove[]
  readonly #book = new LotBook()

  constructor(workspaceId: string, moves: readonly LotMove[]) {
    this.#workspaceId = workspaceId
    this.#moves = moves
  }

  /** Reads what the moves take: of each wallet, its oldest lots. */
  async load(sql: Queryable): Promise<void> {
    const takers = new Map<string, { key: HoldingKey; units: bigint }>()
    for (const { config, from, units } of this.#moves) {
      if (from === null) continue
      const key = { config, wallet: from }
      const known = takers.get(keyName(key))
      takers.set(keyName(key), { key, units: units + (known?.units ?? 0n) })
    }
    let left = [...takers.values()]
    for (let limit = FIRST; left.length > 0; limit *= MORE) {
      const about = { workspaceId: this.#workspaceId, keys: left.map(({ key }) => key), limit }
      const rows = Map.groupBy(await selectOldest(sql, about), ({ mint_config: config, wallet }) =>
        keyName({ config, wallet }),
      )
      left = left.filter(({ key, units }) => {
        const lots = (rows.get(keyName(key)) ?? []).map(toLot)
        const covered = lots.reduce((sum, lot) => sum + lot.units, 0n)
        if (covered < units && lots.length === limit) return true
        this.#book.load(key, lots)
        return false
      })
    }
  }

  /** Writes the lots after the moves. The caller saves the holdings next. */
  async save(sql: Queryable, holdings: readonly (HoldingKey & Holding)[]): Promise<void> {
    for (const move of this.#moves) this.#book.apply(move)
    for (const holding of holdings) holding.lotted += this.#book.growthOf(holding)
    const { made, changed, gone } = this.#book.changes()
    const workspaceId = this.#workspaceId
    await Promise.all([
      made.length > 0 && insertLots(sql, { workspaceId, made }),
      changed.length > 0 &&
        sql`
          update lots l set units = t.units, wallet = t.wallet
          from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map(({ units }) => units.toString())}::numeric[],
            ${changed.map(({ key }) => key.wallet)}::text[]) as t(id, units, wallet)
          where l.workspace_id = ${workspaceId} and l.id = t.id`,
      gone.length > 0 && sql`delete from lots where workspace_id = ${workspaceId} and id = any(${gone})`,
    ])
  }
}

const toLot = (row: LotRow) => ({
  id: row.id,
  seq: row.seq,
  units: BigInt(row.units),
  acquiredAt: row.acquired_at,
  exemption: row.exemption,
  parent: row.parent,
  operationId: row.operation_id,
})
