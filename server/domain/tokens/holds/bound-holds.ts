import type { Queryable } from "#db/client.ts"
import { qualified } from "#db/rows.ts"
import { clock } from "#server/lib/time.ts"
import type { BaseUnits } from "#shared/amount.ts"
import type { TransferContext } from "#shared/rules/define.ts"
import { type Holding, type HoldingKey, keyName, listed } from "../holder-facts.ts"
import { type HoldRow, hasExpired, holdColumns, isOnChain } from "./hold.ts"

/** Units that a movement takes out of a hold. */
export type Taken = { id: string; amount: BaseUnits }

export type BoundHold = Omit<HoldRow, Units> & Record<Units, bigint>
type Units = "amount" | "remaining" | "taking"

/**
 * The active holds of wallets, in memory between the lock of their holdings and the statement that writes them. Every
 * change of a hold is made under the lock of its holding, so a hold needs no lock itself.
 */
export class BoundHolds {
  readonly #all: Map<string, BoundHold>
  readonly #changed = new Set<BoundHold>()

  constructor(rows: readonly HoldRow[]) {
    this.#all = new Map(
      rows.map((row) => {
        const { amount, remaining, taking } = row
        return [row.id, { ...row, amount: BigInt(amount), remaining: BigInt(remaining), taking: BigInt(taking) }]
      }),
    )
  }

  get(id: string): BoundHold | undefined {
    return this.#all.get(id)
  }

  /** What still binds a wallet, the oldest first. */
  of({ config, wallet }: HoldingKey): BoundHold[] {
    return [...this.#all.values()].filter(
      (hold) => hold.mint_config === config && hold.wallet === wallet && hold.state === "active" && hold.remaining > 0n,
    )
  }

  /** What a rule needs to know about the holds of a wallet that gives tokens; undefined if it has none. */
  about(key: HoldingKey | null, named: readonly string[] = []): TransferContext["holds"] {
    const all = key === null ? [] : this.of(key)
    if (all.length === 0) return undefined
    const [those, others] = [true, false].map((is) => all.filter(({ id }) => named.includes(id) === is))
    return { named: those!.reduce((sum, { remaining }) => sum + remaining, 0n), others: others!.map(({ id }) => id) }
  }

  /** Ends what has expired. The holding no longer counts it as held. What is on chain has to be moved back first. */
  expire(now: Date, holdingOf: (key: HoldingKey) => Holding): void {
    for (const hold of this.#all.values()) {
      if (isOnChain(hold) || !hasExpired({ ...hold, remaining: String(hold.remaining) }, now)) continue
      this.end(hold, "expired", hold.expires_at!, holdingOf(keyOf(hold)))
    }
  }

  end(hold: BoundHold, state: "expired" | "released" | "executed", at: Date, holding: Holding): void {
    holding.held -= hold.remaining
    Object.assign(hold, { state, ended_at: at })
    this.#changed.add(hold)
  }

  /** Takes from these holds in order, up to an amount. */
  take(ids: readonly string[], amount: bigint, operationId: string, holding: Holding): Taken[] {
    let missing = amount
    return ids.flatMap((id): Taken[] => {
      const hold = this.#all.get(id)!
      const taken = hold.remaining < missing ? hold.remaining : missing
      if (taken === 0n) return []
      missing -= taken
      hold.remaining -= taken
      hold.taking += taken
      hold.operation_id = operationId
      holding.held -= taken
      this.#changed.add(hold)
      return [{ id, amount: taken as BaseUnits }]
    })
  }

  /**
   * Makes a hold what it was on chain. What it gains, its wallet's other holds lose: in a hold account always, otherwise
   * if the balance is too low for all. Returns whether that is possible.
   */
  correct(id: string, amount: bigint, holding: Holding): boolean {
    const hold = this.#all.get(id)
    if (hold?.state !== "active" || amount > hold.amount || amount < hold.taking) return false
    const gained = amount - hold.taking - hold.remaining
    const free = holding.balance - holding.outgoing - holding.held
    let missing = hold.account !== null ? gained : gained > free ? gained - free : 0n
    const changes: [BoundHold, bigint][] = [[hold, gained]]
    for (const other of this.of(keyOf(hold))) {
      if (other === hold || other.account !== hold.account || missing === 0n) continue
      const [least, most] = [-other.remaining, other.amount - other.remaining - other.taking]
      const change = -missing < least ? least : -missing > most ? most : -missing
      missing += change
      changes.push([other, change])
    }
    if (missing !== 0n) return false
    for (const [one, change] of changes) {
      one.remaining += change
      holding.held += change
      if (one !== hold && one.remaining + one.taking === 0n) this.end(one, "executed", clock.now(), holding)
      this.#changed.add(one)
    }
    return true
  }

  async save(sql: Queryable, workspaceId: string): Promise<void> {
    if (this.#changed.size === 0) return
    const rows = [...this.#changed].map(({ id, remaining, taking, state, operation_id, ended_at }) => {
      return { id, remaining: String(remaining), taking: String(taking), state, operation_id, ended_at }
    })
    await sql`
      update holds h set remaining = t.remaining, taking = t.taking, state = t.state, operation_id = t.operation_id,
        ended_at = t.ended_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        as t(id text, remaining numeric, taking numeric, state text, operation_id text, ended_at timestamptz)
      where h.workspace_id = ${workspaceId} and h.id = t.id`
  }
}

const keyOf = ({ mint_config, wallet }: BoundHold): HoldingKey => ({ config: mint_config, wallet })

/**
 * The holds that bind these wallets, and their holds that requests name, with their holdings locked. Expired holds
 * end. Most wallets have none, and then nothing is read.
 */
export async function bindHolds(
  sql: Queryable,
  workspaceId: string,
  about: {
    keys: readonly HoldingKey[]
    named?: readonly string[]
    holdingOf: (key: HoldingKey) => Holding
    now: Date
  },
): Promise<BoundHolds> {
  const { keys, named = [], holdingOf, now } = about
  const unique = [...new Map(keys.map((key) => [keyName(key), key])).values()]
  const wanted = named.length > 0 ? unique : unique.filter((key) => holdingOf(key).held > 0n)
  if (wanted.length === 0) return new BoundHolds([])
  const rows = await sql<HoldRow[]>`
    select ${sql(qualified("h", holdColumns))}
    from holds h join ${listed(sql, wanted)} on h.mint_config = t.config and h.wallet = t.wallet
    where h.workspace_id = ${workspaceId} and h.state = 'active'
    union
    select ${sql(qualified("h", holdColumns))}
    from holds h join ${listed(sql, wanted)} on h.mint_config = t.config and h.wallet = t.wallet
    where h.workspace_id = ${workspaceId} and h.id = any(${named as string[]})
    order by seq`
  const holds = new BoundHolds(rows)
  holds.expire(now, holdingOf)
  return holds
}
