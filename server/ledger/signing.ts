import type { TransactionInstruction } from "@solana/web3.js"
import { sleep } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { priorityFee, type SignedTransaction, signTransactions } from "#server/solana/transaction.ts"
import type { Operations } from "./definition.ts"
import type { Lease, Leases } from "./lease.ts"
import type { Unfinished } from "./operation.ts"
import { type Planned, pack } from "./pack.ts"
import { type Facts, planAll, sortPlans } from "./plan.ts"
import { type Signed, save } from "./save.ts"
import { issuerOf } from "./turn.ts"

/** How long signing may take. Less than a lease or a blockhash lives, so that neither is why it is done again. */
const SIGN_MS = 3000
/** How often saving is tried while others change what the plans go by, and the pause before each, in milliseconds. */
const SAVE_TRIES = 10
const SAVE_PAUSE_MS = 10

/** A transaction that may be sent: its bytes are saved. */
export type Saved = { signature: string; workspaceId: string; wire: Buffer; lastValidBlockHeight: number }

export type Blockhash = { blockhash: string; lastValidBlockHeight: number; readAt: number }

export type SigningOptions = {
  chain: Chain
  kinds: Operations
  leases: Leases
  priorityFeeMicroLamports: number
  latestBlockhash: () => Promise<Blockhash>
}

type UnderWay = {
  workspaceId: string
  operations: Unfinished[]
  transactions: number
  done: Promise<Saved[]>
}

/** The second part of turns: signs and saves what was planned, any number at the same time, outside of any transaction. */
export class Signing {
  readonly #options: SigningOptions
  readonly #underWay = new Set<UnderWay>()

  constructor(options: SigningOptions) {
    this.#options = options
  }

  /** Transactions that are being signed. */
  get size(): number {
    return [...this.#underWay].reduce((sum, { transactions }) => sum + transactions, 0)
  }

  /** Operations of a workspace that are being signed. */
  of(workspaceId: string): Unfinished[] {
    return [...this.#underWay]
      .filter((one) => one.workspaceId === workspaceId)
      .flatMap((one) => one.operations)
  }

  /** Returns what is saved, which may be less than was planned. What a signer or the database throws is thrown. */
  async signAndSave(lease: Lease, planned: readonly Planned[], facts: Facts | null): Promise<Saved[]> {
    const head = priorityFee(this.#options.priorityFeeMicroLamports)
    const batches = pack(planned, { feePayer: this.#options.chain.feePayer.publicKey, head })
    const one: UnderWay = {
      workspaceId: lease.workspaceId,
      // To the queue it is as if they were on their way.
      operations: planned.map(({ operation }) => ({ ...operation, status: "submitted", not_before: null })),
      transactions: batches.length,
      done: this.#signAndSave(lease, batches, head, facts),
    }
    this.#underWay.add(one)
    try {
      return await one.done
    } finally {
      this.#underWay.delete(one)
    }
  }

  /** Resolves when nothing is being signed any more. */
  async end(): Promise<void> {
    await Promise.allSettled([...this.#underWay].map(({ done }) => done))
  }

  async #signAndSave(
    lease: Lease,
    batches: Planned[][],
    head: TransactionInstruction[],
    facts: Facts | null,
  ): Promise<Saved[]> {
    const blockhash = await this.#options.latestBlockhash()
    const transactions = await this.#sign(lease, batches, head, blockhash)
    const signed = transactions.map((transaction, i) => ({ batch: batches[i]!, transaction }))
    const { workspaceId } = lease
    const { lastValidBlockHeight } = blockhash
    const saved = await this.#save(lease, signed, { head: head.length, lastValidBlockHeight, facts })
    return transactions
      .filter(({ signature }) => saved.has(signature))
      .map((transaction) => ({ ...transaction, workspaceId, lastValidBlockHeight }))
  }

  /** A signer that does not answer in time is left alone, and what it signs later is not used. */
  async #sign(
    { workspaceId }: Lease,
    batches: Planned[][],
    head: TransactionInstruction[],
    { blockhash }: Blockhash,
  ): Promise<SignedTransaction[]> {
    const { chain } = this.#options
    const { authority, feePayer } = issuerOf(chain, workspaceId)
    const unsigned = batches.map((batch) => ({
      instructions: [...head, ...batch.flatMap((one) => one.instructions)],
      signers: [authority, ...batch.flatMap((one) => one.signers)],
    }))
    const began = performance.now()
    const answered = new AbortController()
    const late = sleep(SIGN_MS, answered.signal).then(() => null)
    const signed = await Promise.race([signTransactions(unsigned, { feePayer, blockhash }), late]).finally(
      () => answered.abort(),
    )
    // A process that stood still may hear of the answer before it hears that it came too late.
    if (signed === null || performance.now() - began > SIGN_MS)
      throw new Error(`the signer took longer than ${SIGN_MS} ms`)
    return signed
  }

  /** Saves what is signed. Where something has changed since it was planned, only what would be planned again as it is. */
  async #save(
    lease: Lease,
    signed: Signed[],
    about: { head: number; lastValidBlockHeight: number; facts: Facts | null },
  ): Promise<Set<string>> {
    const { mode } = this.#options.chain
    let [current, rest] = [lease, signed]
    for (let tries = 1; rest.length > 0; tries++) {
      const saved = await save(current, rest, { ...about, mode })
      if (saved) return saved
      if (tries === SAVE_TRIES) break
      // Whoever changes it now has a lock on the lease, and is about to commit.
      await sleep(tries * SAVE_PAUSE_MS)
      const next = await this.#options.leases.again(current)
      if (!next) break
      if (next.version !== current.version) rest = await this.#stillPlanned(next, rest, about.facts)
      current = next
    }
    return new Set()
  }

  async #stillPlanned({ workspaceId }: Lease, signed: Signed[], facts: Facts | null): Promise<Signed[]> {
    const { chain, kinds } = this.#options
    const operations = signed.flatMap(({ batch }) => batch.map(({ operation }) => operation))
    const plans = await planAll(operations, { kinds, issuer: issuerOf(chain, workspaceId), facts })
    const again = new Map(sortPlans(operations, plans).planned.map((one) => [one.operation.id, one]))
    return signed.filter(({ batch }) =>
      batch.every((one) => isSame(one.instructions, again.get(one.operation.id)?.instructions ?? [])),
    )
  }
}

const isSame = (
  some: readonly TransactionInstruction[],
  others: readonly TransactionInstruction[],
): boolean =>
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
