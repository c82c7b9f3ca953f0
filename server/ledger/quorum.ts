import type { SignatureStatus } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { logger } from "#server/lib/log.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes, isWithoutHistory } from "#server/solana/rpc/errors.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import { feePayerIn } from "#server/solana/transaction.ts"

// A faulty node may give the same false answer however often it is asked. What cannot be undone takes the answers of
// two nodes if there are two, and two kinds of evidence from one.

/** The most signatures that one getSignatureStatuses takes. */
export const STATUSES = 256

/** How many nodes must agree on what cannot be undone. */
export const answersNeeded = ({ views }: Rpc): number => Math.min(2, views.length)

/** Independent answers of nodes, until there are enough. Rejects if fewer than `least` answer. */
async function askNodes<T>(rpc: Rpc, ask: (view: Rpc) => Promise<T>, least: number): Promise<T[]> {
  const answers: T[] = []
  let trouble: unknown
  for (const view of rpc.views) {
    if (answers.length === answersNeeded(rpc)) break
    try {
      answers.push(await ask(view))
    } catch (error) {
      if (!isOfTheNodes(error)) throw error
      trouble = error
    }
  }
  if (answers.length < least) throw trouble
  return answers
}

/** The answers of as many nodes as needed. Rejects if fewer answer. */
export const askQuorum = <T>(rpc: Rpc, ask: (view: Rpc) => Promise<T>): Promise<T[]> =>
  askNodes(rpc, ask, answersNeeded(rpc))

export const isFinal = (status: SignatureStatus | null): status is SignatureStatus =>
  status?.confirmationStatus === "finalized"

export const isConfirmed = (status: SignatureStatus | null): status is SignatureStatus =>
  status?.confirmationStatus === "confirmed" || isFinal(status)

export type ReportedStatuses = { signature: string; statuses: readonly (SignatureStatus | null)[] }

export async function readStatuses(rpc: Rpc, signatures: readonly string[]): Promise<ReportedStatuses[]> {
  const answers = await askNodes(rpc.settling, async (view) => (await view.statuses(signatures)).value, 1)
  return signatures.map((signature, i) => ({ signature, statuses: answers.map((value) => value[i] ?? null) }))
}

export const areReportedFinal = ({ statuses }: ReportedStatuses): boolean =>
  statuses.every((status) => isFinal(status) && status.err === null)

type Sought = ReportedStatuses & { wire: Buffer; slot: number }

/**
 * Returns the transactions whose reported finality is proven: two nodes report it, or the only node that answers also
 * lists them for their fee payer. The report of a node without history is enough.
 */
export async function provenFinal({ rpc, embedded }: Chain, reported: readonly Sought[]): Promise<Set<string>> {
  const proven = new Set<string>()
  const alone: Sought[] = []
  for (const one of reported) {
    // A node that the deployment runs itself is trusted.
    if (embedded || one.statuses.length > 1) proven.add(one.signature)
    else alone.push(one)
  }
  for (const [payer, own] of Map.groupBy(alone, ({ wire }) => feePayerIn(wire))) {
    const slots = own.map(({ slot }) => slot)
    const range = { slot: Math.min(...slots), since: Math.max(...slots), commitment: "finalized" as const }
    const listed = await rpc.settling.listedSince(publicKeyOf(payer), range).catch((error) => {
      if (isWithoutHistory(error)) return null
      // If one payer's history is missing, the others are not affected.
      if (isOfTheNodes(error)) return []
      throw error
    })
    const there = new Set(listed?.flatMap(({ err, signature }) => (err === null ? signature : [])))
    for (const { signature } of own) if (listed === null || there.has(signature)) proven.add(signature)
  }
  return proven
}

/**
 * Whether a transaction that a node reports as finally failed has failed. Its operations are then signed again, so one
 * answer of one node is not enough: the transaction itself must show the failure (or, on a node without history, its
 * status when asked again), and another node must agree if there is one.
 */
export async function hasFailed({ mode, rpc }: Chain, signature: string): Promise<boolean> {
  try {
    const answers = await askQuorum(rpc.settling, (view) => showsFailure(view, signature))
    if (answers.every(Boolean)) return true
    logger.warn({ mode, signature }, "a node says that a transaction failed, but the transaction itself does not")
  } catch (error) {
    if (!isOfTheNodes(error)) throw error
    logger.debug({ err: error, signature }, "could not read a transaction that was reported as failed")
  }
  return false
}

const showsFailure = async (rpc: Rpc, signature: string): Promise<boolean> => {
  try {
    const found = await rpc.transaction(signature)
    return (found?.meta?.err ?? null) !== null
  } catch (error) {
    if (!isWithoutHistory(error)) throw error
    const [status = null] = (await rpc.statuses([signature])).value
    return isFinal(status) && status.err !== null
  }
}

// An operation with nothing to do ends without a transaction, and nothing checks it again. So one answer of one node is
// not enough.

/** The most operations that are remembered, and for how long: longer than finality takes. */
const MOST = 50_000
const REMEMBERED_MS = 120_000

/** The slot as of which there was nothing to do, by operation. */
const firstSeen = new LRUCache<string, number>({ max: MOST, ttl: REMEMBERED_MS })

/** Reads the same again; returns true for operations that still have nothing to do. */
type ReadAgain = (ids: readonly string[], rpc: Rpc, options: ReadOptions) => Promise<(id: string) => boolean>

/** Operations whose "nothing to do" is final: seen again, `finalized`, by two nodes if there are two. */
export async function confirmNothingToDo(
  chain: Chain,
  { ids, slot }: { ids: readonly string[]; slot: number },
  readAgain: ReadAgain,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  for (const id of ids) if (!firstSeen.has(id)) firstSeen.set(id, slot)
  const { slot: finalized } = await chain.rpc.finalizedHeight()
  const sinceOf = (id: string) => firstSeen.get(id) ?? slot
  const final = ids.filter((id) => sinceOf(id) <= finalized)
  if (final.length === 0) return new Set()
  const since = Math.max(...final.map(sinceOf))
  // The address may now serve another chain, which has none of the accounts.
  await chain.rpc.nodes.identify()
  const answers = await askQuorum(chain.rpc.settling, (view) =>
    readAgain(final, view, { since, commitment: "finalized" }),
  ).catch((error) => {
    // These operations wait for the other node; the rest of the workspace does not.
    if (isOfTheNodes(error)) return null
    throw error
  })
  await chain.rpc.nodes.identify()
  if (answers === null) return new Set()
  const isNothing = (id: string) => answers.every((say) => say(id))
  for (const id of final) if (!isNothing(id)) firstSeen.delete(id)
  return new Set(final.filter(isNothing))
}

/** Whether a single node answers, which the deployment does not run itself. */
export const hasOneNode = ({ rpc, embedded }: Chain): boolean => !embedded && answersNeeded(rpc) === 1
