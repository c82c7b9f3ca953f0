import { type Queryable, sql } from "#db/client.ts"
import { prepared } from "#db/prepared.ts"
import { openClaims } from "#domain/deployment"
import type { Address } from "#shared/address.ts"
import type { Claims } from "#shared/claims.ts"
import { countedAs, type InvestorCounts } from "#shared/rules/investor-counts.ts"

/** A configuration that counts investors, with its counts. Its row is locked while they change. */
export type Counting = { id: string; investors: InvestorCounts | null }

/** What a wallet holds of a token, and whose it is. */
export type Held = {
  config: string
  wallet: Address
  balance: bigint
  incoming: bigint
  outgoing: bigint
  investor: string | null
}

/** Whose claims say where an investor counts. Without an attestation nothing is known about them. */
export type Evidence = { attestationId: string | null; claims: () => Claims }

export const UNKNOWN: Evidence = { attestationId: null, claims: () => ({}) }

export const evidenceOf = (attestationId: string | null, sealed: Buffer | null): Evidence => ({
  attestationId,
  claims: () => (attestationId === null || sealed === null ? {} : openClaims(attestationId, sealed)),
})

/**
 * The slot of an investor among those that a token counts. `lent`: an operation moves everything that another investor
 * has to this one, at a limit. Until it ends, both have this slot, and it counts wherever one of them does.
 */
type Slot = Evidence & { lent: (Evidence & { by: string; investor: string }) | null }

const counted = ({ claims, lent }: Slot): string[] => [
  ...new Set([...countedAs(claims()), ...(lent ? countedAs(lent.claims()) : [])]),
]

type Sums = { balance: bigint; incoming: bigint; outgoing: bigint }

export type Wanted = { config: string; investor: string; attestationId: string | null }

/** An investor who is about to get units. `giver`: the wallet that they come from, null if they are minted. */
export type Receiving = {
  config: Counting
  to: { investor: string; evidence: Evidence }
  giver: Held | null
  amount: bigint
}

type Row = {
  what: "holding" | "slot"
  mint_config: string
  investor: string
  balance: string
  incoming: string
  outgoing: string
  attestation_id: string | null
  claims: Buffer | null
  lent_by: string | null
  lender: string | null
  lender_attestation_id: string | null
  lender_claims: Buffer | null
}

const nameOf = (config: string, investor: string) => `${config}/${investor}`

type Loaded = {
  workspaceId: string
  /** Holdings that the caller has. */
  inMemory: string[]
  configs: string[]
  investors: string[]
  attestationIds: (string | null)[]
}

/** Put together once, because every batch of mints reads it. */
const loading = prepared<Loaded, Row>((value) => {
  const workspaceId = value((input) => input.workspaceId)
  const listed = sql`
    unnest(${value((input) => input.configs)}::text[], ${value((input) => input.investors)}::text[],
      ${value((input) => input.attestationIds)}::text[]) as t(config, investor, attestation_id)`
  const slot = sql`
    'slot', s.mint_config, s.investor, null, null, null, s.attestation_id, a.claims, s.lent_by, s.lender,
    s.lender_attestation_id, l.claims`
  const claims = sql`
    left join attestations a on a.workspace_id = ${workspaceId} and a.id = s.attestation_id
      and a.id is distinct from t.attestation_id
    left join attestations l on l.workspace_id = ${workspaceId} and l.id = s.lender_attestation_id`
  return sql`
    select 'holding' as what, h.mint_config, h.investor, h.balance, h.incoming, h.outgoing, null as attestation_id,
      null::bytea as claims, null as lent_by, null as lender, null as lender_attestation_id, null::bytea as lender_claims
    from ${listed} join holdings h on h.workspace_id = ${workspaceId} and h.investor = t.investor and h.mint_config = t.config
    where (h.balance > 0 or h.incoming > 0)
      and h.mint_config || '/' || h.wallet <> all(${value((input) => input.inMemory)}::text[])
    union all
    select ${slot} from ${listed}
    join investor_slots s on s.workspace_id = ${workspaceId} and s.mint_config = t.config and s.investor = t.investor ${claims}
    union all
    select ${slot} from ${listed}
    join investor_slots s on s.workspace_id = ${workspaceId} and s.mint_config = t.config and s.lender = t.investor ${claims}`
})

/**
 * Who holds tokens that count investors, in memory between the lock of their configurations and the statements that
 * write it. An investor has a slot exactly if their wallets hold units or will soon.
 */
export class InvestorBook {
  readonly #configs: ReadonlyMap<string, Counting>
  /** What the investors have in wallets whose holdings are not in memory. */
  readonly #others = new Map<string, Sums>()
  readonly #held = new Map<string, Set<Held>>()
  readonly #slots = new Map<string, Slot>()
  /** Whose slot an investor's own went into. */
  readonly #borrowers = new Map<string, string>()
  readonly #changed = new Map<string, { config: string; investor: string }>()

  private constructor(configs: readonly Counting[], held: readonly Held[], rows: readonly Row[]) {
    this.#configs = new Map(configs.map((config) => [config.id, config]))
    for (const one of held) if (one.investor !== null) this.#heldBy(one.config, one.investor).add(one)
    for (const row of rows) {
      const name = nameOf(row.mint_config, row.investor)
      if (row.what === "holding") {
        const sums = this.#others.get(name) ?? { balance: 0n, incoming: 0n, outgoing: 0n }
        sums.balance += BigInt(row.balance)
        sums.incoming += BigInt(row.incoming)
        sums.outgoing += BigInt(row.outgoing)
        this.#others.set(name, sums)
      } else {
        const { attestation_id, claims, lent_by: by, lender: investor, lender_attestation_id, lender_claims } = row
        const lent = by !== null && investor !== null && { by, investor }
        if (lent) this.#borrowers.set(nameOf(row.mint_config, lent.investor), row.investor)
        this.#slots.set(name, {
          ...evidenceOf(attestation_id, claims),
          lent: lent ? { ...lent, ...evidenceOf(lender_attestation_id, lender_claims) } : null,
        })
      }
    }
  }

  /**
   * Reads what investors hold besides what is in memory, and their slots. The claims of a slot are not read if they
   * are those of the attestation that the caller already knows.
   */
  static async load(
    sql: Queryable,
    workspaceId: string,
    about: { configs: readonly Counting[]; held: readonly Held[]; wanted: readonly Wanted[]; known?: Known },
  ): Promise<InvestorBook> {
    const { configs, held, known = () => undefined } = about
    const wanted = unique(about.wanted)
    if (wanted.length === 0) return new InvestorBook(configs, held, [])
    const rows = await loading(sql, {
      workspaceId,
      inMemory: held.map(({ config, wallet }) => nameOf(config, wallet)),
      configs: wanted.map((one) => one.config),
      investors: wanted.map((one) => one.investor),
      attestationIds: wanted.map((one) => one.attestationId),
    })
    const book = new InvestorBook(configs, held, rows)
    for (const one of wanted) book.#fillIn(one, known)
    return book
  }

  /** Claims that the caller has opened already. */
  #fillIn({ config, investor, attestationId }: Wanted, known: Known): void {
    const slot = this.#slots.get(nameOf(config, investor))
    if (!slot || attestationId === null || slot.attestationId !== attestationId) return
    slot.claims = () => known(attestationId) ?? {}
  }

  /** What all wallets of an investor have, and what is on its way. */
  sumsOf(config: string, investor: string): Sums {
    const sums = { balance: 0n, incoming: 0n, outgoing: 0n, ...this.#others.get(nameOf(config, investor)) }
    for (const { balance, incoming, outgoing } of this.#heldBy(config, investor)) {
      sums.balance += balance
      sums.incoming += incoming
      sums.outgoing += outgoing
    }
    return sums
  }

  /** What an investor owns or will own. */
  ownedBy(config: string, investor: string): bigint {
    const { balance, incoming } = this.sumsOf(config, investor)
    return balance + incoming
  }

  /** How the counts change if the investor receives. `handed`: if the giver's slot goes along; null if it cannot. */
  countsAfter(receiving: Receiving): { plain: InvestorCounts; handed: InvestorCounts | null } {
    const { config } = receiving
    const after = (isHanded: boolean) => this.#countsWith(config, this.#steps(receiving, isHanded ? "" : null))
    return { plain: after(false), handed: this.#canHand(receiving) ? after(true) : null }
  }

  /** Gives the receiver a slot. `operationId`: the operation that the giver's slot goes along with, if it does. */
  receive(receiving: Receiving, to: Held, operationId: string | null): void {
    for (const [investor, slot] of this.#steps(receiving, operationId)) this.#put(receiving.config, investor, slot)
    this.#give(to, receiving.to.investor)
  }

  /** A wallet's holding is another person's from now on. */
  reassign(held: Held, investor: string, evidence: Evidence): void {
    const before = held.investor
    const lending = this.#lendingOf(held.config, investor)
    // Who gets more while they give everything away does not leave, and counts as before.
    if (lending && held.balance + held.incoming > 0n)
      this.#put(this.#config(held.config), lending[0], { ...lending[1], lent: null })
    this.#give(held, investor)
    this.follow(held.config, investor, lending?.[1].lent ?? evidence)
    if (before !== null && before !== investor) this.follow(held.config, before, UNKNOWN)
  }

  /** Claims are erased: an investor counts by what `instead` knows, and one who gives everything away by nothing. */
  replaceEvidence(config: string, erased: ReadonlySet<string>, instead: (investor: string) => Evidence): void {
    const start = `${config}/`
    const isErased = ({ attestationId }: Evidence) => attestationId !== null && erased.has(attestationId)
    for (const [name, slot] of [...this.#slots]) {
      if (!name.startsWith(start)) continue
      const investor = name.slice(start.length)
      const { lent } = slot
      const isLentErased = lent !== null && isErased(lent)
      if (!isErased(slot) && !isLentErased) continue
      const own = isErased(slot) ? instead(investor) : slot
      const lentAs = isLentErased ? { ...lent, ...UNKNOWN } : lent
      this.#put(this.#config(config), investor, { ...own, lent: lentAs })
    }
  }

  /** An operation that a slot went along with has ended. */
  end(config: string, operationId: string, hasLanded: boolean): void {
    const start = `${config}/`
    for (const [name, slot] of [...this.#slots]) {
      if (slot.lent?.by !== operationId || !name.startsWith(start)) continue
      const investor = name.slice(start.length)
      if (!hasLanded) this.#giveBack(config, slot.lent)
      this.#put(this.#config(config), investor, { ...slot, lent: null })
    }
  }

  /** Makes an investor have a slot exactly if they own something. */
  follow(config: string, investor: string, evidence: Evidence): void {
    const slot = this.#slots.get(nameOf(config, investor))
    const lending = this.#lendingOf(config, investor)
    const counting = this.#config(config)
    if (this.ownedBy(config, investor) > 0n) {
      if (!slot && !lending) this.#put(counting, investor, { ...evidence, lent: null })
      return
    }
    if (slot) {
      this.#put(counting, investor, null)
      if (slot.lent) this.#giveBack(config, slot.lent)
    }
    if (lending) this.#put(counting, lending[0], { ...lending[1], lent: null })
  }

  /** Two investors are one person. Who keeps the name keeps their own slot, or takes over the other's. */
  merge(config: string, from: string, into: string): void {
    const counting = this.#config(config)
    const sums = this.sumsOf(config, from)
    const others = this.#others.get(nameOf(config, into)) ?? { balance: 0n, incoming: 0n, outgoing: 0n }
    for (const name of ["balance", "incoming", "outgoing"] as const) others[name] += sums[name]
    this.#others.set(nameOf(config, into), others)
    this.#others.delete(nameOf(config, from))

    const lending = this.#lendingOf(config, from)
    if (lending) {
      const [borrower, slot] = lending
      const hasSlot = this.#slots.has(nameOf(config, into)) || this.#lendingOf(config, into) !== null
      const lent = borrower === into || hasSlot ? null : { ...slot.lent!, investor: into }
      this.#put(counting, borrower, { ...slot, lent })
    }
    const slot = this.#slots.get(nameOf(config, from))
    if (!slot) return
    this.#put(counting, from, null)
    if (this.#slots.has(nameOf(config, into))) {
      if (slot.lent) this.#giveBack(config, slot.lent)
      return
    }
    const ofInto = this.#lendingOf(config, into)
    if (ofInto) this.#put(counting, ofInto[0], { ...ofInto[1], lent: null })
    this.#put(counting, into, slot.lent?.investor === into ? { ...slot, lent: null } : slot)
  }

  /** Writes slots. The caller writes the counts and whose holdings are. */
  async save(sql: Queryable, workspaceId: string): Promise<void> {
    if (this.#changed.size === 0) return
    const changed = [...this.#changed.values()].map((one) => ({
      ...one,
      slot: this.#slots.get(nameOf(one.config, one.investor)),
    }))
    const gone = changed.filter(({ slot }) => !slot)
    const kept = changed.flatMap(({ config: mint_config, investor, slot }) => {
      if (!slot) return []
      const lent = slot.lent && { lent_by: slot.lent.by, lender: slot.lent.investor }
      return [
        {
          ...{ mint_config, investor, attestation_id: slot.attestationId },
          ...{ ...lent, lender_attestation_id: slot.lent?.attestationId ?? null },
        },
      ]
    })
    await Promise.all([
      ...(gone.length === 0
        ? []
        : [
            sql`
              delete from investor_slots s
              using unnest(${gone.map((one) => one.config)}::text[], ${gone.map((one) => one.investor)}::text[]) as t(config, investor)
              where s.workspace_id = ${workspaceId} and s.mint_config = t.config and s.investor = t.investor`,
          ]),
      ...(kept.length === 0
        ? []
        : [
            sql`
              insert into investor_slots
                (workspace_id, mint_config, investor, attestation_id, lent_by, lender, lender_attestation_id)
              select ${workspaceId}, t.* from jsonb_to_recordset(${JSON.stringify(kept)}::text::jsonb)
                as t(mint_config text, investor text, attestation_id text, lent_by text, lender text, lender_attestation_id text)
              on conflict (workspace_id, mint_config, investor) do update set attestation_id = excluded.attestation_id,
                lent_by = excluded.lent_by, lender = excluded.lender, lender_attestation_id = excluded.lender_attestation_id`,
          ]),
    ])
  }

  /** The slots that change if the investor receives. */
  #steps({ config, to, giver, amount: _ }: Receiving, operationId: string | null): [string, Slot | null][] {
    const { investor, evidence } = to
    // Between two wallets of one person nothing changes.
    if (giver !== null && giver.investor === investor) return []
    const own = this.#slots.get(nameOf(config.id, investor))
    const fresh: Slot = { ...evidence, lent: null }
    if (own) {
      if (own.lent)
        return [
          [own.lent.investor, { ...own.lent, lent: null }],
          [investor, fresh],
        ]
      return own.attestationId === evidence.attestationId ? [] : [[investor, fresh]]
    }
    const lending = this.#lendingOf(config.id, investor)
    if (lending)
      return [
        [lending[0], { ...lending[1], lent: null }],
        [investor, fresh],
      ]
    const leaving = operationId === null || giver?.investor == null ? null : giver.investor
    const left = leaving === null ? undefined : this.#slots.get(nameOf(config.id, leaving))
    if (operationId === null || leaving === null || !left) return [[investor, fresh]]
    const { attestationId, claims } = left
    return [
      [leaving, null],
      [investor, { ...evidence, lent: { attestationId, claims, by: operationId, investor: leaving } }],
    ]
  }

  /** Whether the giver gives everything away, and the receiver has no slot yet. */
  #canHand({ config, to, giver, amount }: Receiving): boolean {
    if (giver === null || giver.investor === null || giver.investor === to.investor) return false
    if (this.#slots.has(nameOf(config.id, to.investor)) || this.#lendingOf(config.id, to.investor)) return false
    const slot = this.#slots.get(nameOf(config.id, giver.investor))
    const { balance, incoming, outgoing } = this.sumsOf(config.id, giver.investor)
    return slot !== undefined && slot.lent === null && balance === amount && incoming === 0n && outgoing === 0n
  }

  #giveBack(config: string, { attestationId, claims, investor }: Evidence & { investor: string }): void {
    if (this.#slots.has(nameOf(config, investor))) return
    this.#put(this.#config(config), investor, { attestationId, claims, lent: null })
  }

  /** The slot that an investor's own went into. */
  #lendingOf(config: string, investor: string): [string, Slot] | null {
    const borrower = this.#borrowers.get(nameOf(config, investor))
    return borrower === undefined ? null : [borrower, this.#slots.get(nameOf(config, borrower))!]
  }

  #countsWith(config: Counting, steps: readonly [string, Slot | null][]): InvestorCounts {
    if (steps.length === 0) return config.investors!
    const counts: Record<string, number> = { ...config.investors }
    for (const [investor, slot] of steps) {
      const known = this.#slots.get(nameOf(config.id, investor))
      for (const key of known ? counted(known) : []) counts[key] = (counts[key] ?? 0) - 1
      for (const key of slot ? counted(slot) : []) counts[key] = (counts[key] ?? 0) + 1
    }
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
  }

  #put(config: Counting, investor: string, slot: Slot | null): void {
    config.investors = this.#countsWith(config, [[investor, slot]])
    const name = nameOf(config.id, investor)
    const before = this.#slots.get(name)
    if (before?.lent) this.#borrowers.delete(nameOf(config.id, before.lent.investor))
    if (slot?.lent) this.#borrowers.set(nameOf(config.id, slot.lent.investor), investor)
    if (slot) this.#slots.set(name, slot)
    else this.#slots.delete(name)
    this.#changed.set(name, { config: config.id, investor })
  }

  #give(held: Held, investor: string): void {
    if (held.investor !== null) this.#heldBy(held.config, held.investor).delete(held)
    held.investor = investor
    this.#heldBy(held.config, investor).add(held)
  }

  #heldBy(config: string, investor: string): Set<Held> {
    const name = nameOf(config, investor)
    let held = this.#held.get(name)
    if (!held) {
      held = new Set()
      this.#held.set(name, held)
    }
    return held
  }

  #config(id: string): Counting {
    const config = this.#configs.get(id)
    if (!config) throw new Error("a configuration that counts investors is not locked")
    return config
  }
}

/** The claims of an attestation, if they are known. */
type Known = (attestationId: string) => Claims | undefined

/** One for each investor. If they are wanted with several attestations, none is known to be that of their slot. */
function unique(wanted: readonly Wanted[]): Wanted[] {
  const all = new Map<string, Wanted>()
  for (const one of wanted) {
    const name = nameOf(one.config, one.investor)
    const known = all.get(name)
    all.set(name, known && known.attestationId !== one.attestationId ? { ...one, attestationId: null } : one)
  }
  return [...all.values()]
}
