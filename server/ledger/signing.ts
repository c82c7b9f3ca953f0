import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { sleep } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { computeUnitsOf, MAX_UNITS } from "#server/solana/compute-units.ts"
import { mostRentOf } from "#server/solana/costs.ts"
import { type PriorityFees, writtenMints } from "#server/solana/priority-fees.ts"
import { SignerFailure } from "#server/solana/signers/definition.ts"
import { computeBudget, feeOf, type SignedTransaction, signTransactions } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import { countByWorkspace, type Load } from "./capacity.ts"
import type { Operations } from "./definition.ts"
import { type Issuer, issuerOf } from "./issuer.ts"
import type { Lease, Leases } from "./lease.ts"
import type { Unfinished } from "./operation.ts"
import { type Planned, pack } from "./pack.ts"
import type { PlannedBatch } from "./plan.ts"
import { type Facts, planAll, sortPlans } from "./plan.ts"
import { type Blockhash, type Saved, type Signed, save } from "./save.ts"
import { SimulatedUnits } from "./simulated-units.ts"

/** How long signing may take: less than the lifetime of a lease or a blockhash, so that neither expires first. */
export const SIGN_MS = 3000
/**
 * How often saving is tried while other processes change what plans depend on, and the first pause, in milliseconds.
 */
const SAVE_TRIES = 10
const SAVE_PAUSE_MS = 10

/**
 * `facts` is what the plans depend on, `fees_lamports` the most for fees, `price` the least in micro-lamports per unit.
 */
export type SignOptions = { facts: Facts | null; fees_lamports: number; price: number }

/** The operations of one transaction, and what it requests. */
type Draft = {
  operations: Planned[]
  budget: { units: number; price: number; marker: PublicKey | null }
  fee_lamports: number
  rent_lamports: number
}

export type SigningOptions = {
  chain: Chain
  kinds: Operations
  leases: Leases
  fees: PriorityFees
  latestBlockhash: () => Promise<Blockhash>
}

type Batch = Pick<PlannedBatch, "lease" | "issuer" | "planned">

type InProgress = {
  workspaceId: string
  feePayer: Address
  operations: Unfinished[]
  drafts: readonly Draft[]
  done: Promise<Saved[]>
}

/** The second part of each batch: signs and saves what was planned, any number at once, outside of any transaction. */
export class Signing {
  readonly #options: SigningOptions
  readonly #units: SimulatedUnits
  readonly #inProgress = new Set<InProgress>()

  constructor(options: SigningOptions) {
    this.#options = options
    this.#units = new SimulatedUnits(options.chain.rpc)
  }

  /** Fetches what signing a batch needs. It does not throw. */
  prepare({ planned, issuer }: Batch): Promise<void> {
    const since = async () => (await this.#options.latestBlockhash()).slot
    return this.#units.learn(planned, issuer.feePayer.publicKey, since)
  }

  get size(): number {
    return [...this.#inProgress].reduce((sum, { drafts }) => sum + drafts.length, 0)
  }

  /** Each transaction that is being signed uses capacity. */
  get load(): Load {
    const each = [...this.#inProgress].flatMap(({ workspaceId, drafts }) => drafts.map(() => ({ workspaceId })))
    const all = countByWorkspace(each)
    return { underWay: all, all }
  }

  /** Fees of those that a key pays for. */
  feesOf(feePayer: Address): number {
    const drafts = [...this.#inProgress].flatMap((one) => (one.feePayer === feePayer ? one.drafts : []))
    return drafts.reduce((sum, { fee_lamports }) => sum + fee_lamports, 0)
  }

  of(workspaceId: string): Unfinished[] {
    return [...this.#inProgress].filter((one) => one.workspaceId === workspaceId).flatMap((one) => one.operations)
  }

  /** Returns what was saved, which may be less than was planned. Throws errors of the signer and the database. */
  async signAndSave({ lease, issuer, planned }: Batch, options: SignOptions): Promise<Saved[]> {
    const { feePayer, marker } = issuer
    const feeInstructions = computeBudget({ units: MAX_UNITS, price: this.#options.fees.ceiling, marker })
    const batches = pack(planned, { feePayer: feePayer.publicKey, feeInstructions })
    const all = batches.map((one) => this.#draftOf(one, issuer, options.price))
    // As many as the fee payer can pay for.
    let left = options.fees_lamports
    const drafts = all.filter(({ fee_lamports }) => {
      left -= fee_lamports
      return left >= 0
    })
    const one: InProgress = {
      workspaceId: lease.workspaceId,
      feePayer: addressOf(feePayer.publicKey),
      // The queue treats them as submitted.
      operations: drafts.flatMap(({ operations }) =>
        operations.map(({ operation }) => ({ ...operation, status: "submitted", not_before: null })),
      ),
      drafts,
      done: this.#signAndSave({ lease, issuer }, drafts, options.facts),
    }
    this.#inProgress.add(one)
    try {
      return await one.done
    } finally {
      this.#inProgress.delete(one)
    }
  }

  async end(): Promise<void> {
    await Promise.allSettled([...this.#inProgress].map(({ done }) => done))
  }

  async #signAndSave(
    { lease, issuer }: Omit<Batch, "planned">,
    drafts: readonly Draft[],
    facts: Facts | null,
  ): Promise<Saved[]> {
    if (drafts.length === 0) return []
    const blockhash = await this.#options.latestBlockhash()
    const transactions = await this.#sign(issuer, drafts, blockhash)
    const signed = drafts.map((draft, i) => {
      return { ...draft, head: computeBudget(draft.budget).length, transaction: transactions[i]! }
    })
    const saved = await this.#save(lease, signed, { issuer, blockhash, facts })
    const { lastValidBlockHeight, slot: signedSlot } = blockhash
    const feePayer = addressOf(issuer.feePayer.publicKey)
    const common = { workspaceId: lease.workspaceId, feePayer, signedSlot, lastValidBlockHeight }
    return signed
      .filter(({ transaction }) => saved.has(transaction.signature))
      .map(({ transaction, fee_lamports }) => ({ ...transaction, ...common, fee_lamports }))
  }

  #draftOf(operations: Planned[], { feePayer, marker, rentOf }: Issuer, least: number): Draft {
    const { fees } = this.#options
    const instructions = operations.flatMap((one) => one.instructions)
    const paid = fees.knownFor([feePayer.publicKey, ...writtenMints(instructions)]) ?? least
    const expiries = Math.max(...operations.map(({ operation }) => operation.expiries))
    const budget = { ...this.#budgetOf(operations, fees.raised(Math.max(least, paid), expiries)), marker }
    const signers = instructions.flatMap(({ keys }) => keys.filter(({ isSigner }) => isSigner))
    const signatures = new Set([feePayer.publicKey, ...signers.map(({ pubkey }) => pubkey)].map(addressOf)).size
    return {
      operations,
      budget,
      fee_lamports: feeOf({ signatures, ...budget }),
      rent_lamports: mostRentOf(instructions, rentOf),
    }
  }

  /**
   * As many units as the operations may need; twice as many after each failure, which may have been for lack of units.
   */
  #budgetOf(draft: readonly Planned[], price: number): { units: number; price: number } {
    const takes = draft.map((one) => 2 ** Math.min(one.operation.attempts, 8) * this.#units.of(one))
    const own = computeBudget({ units: MAX_UNITS, price }).map(computeUnitsOf)
    const units = [...takes, ...own].reduce((sum, one) => sum + one, 0)
    return { units: Math.min(units, MAX_UNITS), price }
  }

  /** A signer that does not answer in time is abandoned, and a late signature is not used. */
  async #sign(
    { signersOf, feePayer }: Issuer,
    drafts: readonly Draft[],
    { blockhash }: Blockhash,
  ): Promise<SignedTransaction[]> {
    const unsigned = drafts.map(({ operations, budget }) => {
      const instructions = operations.flatMap((one) => one.instructions)
      return {
        instructions: [...computeBudget(budget), ...instructions],
        signers: [...signersOf(instructions), ...operations.flatMap((one) => one.signers)],
      }
    })
    const began = performance.now()
    const answered = new AbortController()
    const late = sleep(SIGN_MS, answered.signal).then(() => null)
    const signing = signTransactions(unsigned, { feePayer, blockhash })
    const signed = await Promise.race([signing, late]).finally(() => answered.abort())
    // A process that was suspended may see the answer before it sees the timeout.
    if (signed === null || performance.now() - began > SIGN_MS)
      throw new SignerFailure(`the signer took longer than ${SIGN_MS} ms`, { passing: true })
    return signed
  }

  /**
   * Saves what is signed. If something changed since it was planned, it saves only operations whose new plan is the
   * same. It saves nothing if another worker now has the workspace.
   */
  async #save(
    lease: Lease,
    signed: Signed[],
    about: { issuer: Issuer; blockhash: Blockhash; facts: Facts | null },
  ): Promise<Set<string>> {
    const { mode } = this.#options.chain
    let [current, rest] = [lease, signed]
    for (let tries = 1; rest.length > 0; tries++) {
      const saved = await save(current, rest, { ...about, mode })
      if (saved) return saved
      if (tries === SAVE_TRIES) throw new Error("what the plans depend on keeps changing")
      // The process that is changing it holds a lock on the lease and is about to commit.
      await sleep(tries * SAVE_PAUSE_MS)
      const next = await this.#options.leases.reread(current)
      if (!next) break
      if (next.version !== current.version) rest = await this.#withSamePlan(next, rest, about)
      current = next
    }
    return new Set()
  }

  async #withSamePlan(
    lease: Lease,
    signed: Signed[],
    { issuer: before, facts }: { issuer: Issuer; facts: Facts | null },
  ): Promise<Signed[]> {
    const { chain, kinds } = this.#options
    const issuer = await issuerOf(chain, lease)
    // No instruction has to name the fee payer.
    if (!issuer.feePayer.publicKey.equals(before.feePayer.publicKey)) return []
    const operations = signed.flatMap((one) => one.operations.map(({ operation }) => operation))
    const plans = await planAll(operations, { kinds, issuer, facts })
    const again = new Map(sortPlans(operations, plans).planned.map((one) => [one.operation.id, one]))
    return signed.filter((one) =>
      one.operations.every((one) => isSame(one.instructions, again.get(one.operation.id)?.instructions ?? [])),
    )
  }
}

const isSame = (some: readonly TransactionInstruction[], others: readonly TransactionInstruction[]): boolean =>
  some.length === others.length &&
  some.every(({ programId, keys, data }, i) => {
    const other = others[i]!
    return (
      programId.equals(other.programId) &&
      data.equals(other.data) &&
      keys.length === other.keys.length &&
      keys.every((key, n) => {
        const { pubkey, isSigner, isWritable } = other.keys[n]!
        return pubkey.equals(key.pubkey) && isSigner === key.isSigner && isWritable === key.isWritable
      })
    )
  })
