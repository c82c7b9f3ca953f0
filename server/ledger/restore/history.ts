import type { ConfirmedSignatureInfo, Finality } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { namedByAll } from "#server/ledger/issuer.ts"
import {
  hasVouchMemo,
  issuersOf,
  readOwnTransaction,
  readPage,
  refuseHiddenMemos,
} from "#server/ledger/own-transactions.ts"
import { askQuorum } from "#server/ledger/quorum.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing, isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { ChainState } from "./state.ts"

/** A database that only restarted needs no history of transactions that landed more than about a day ago. */
const RECENT_SLOTS = 200_000

/** A successful transaction that names one of our fee payers; `known` if it is saved and only not settled. */
export type Landed = { signature: string; slot: number; isKnown: boolean }

/**
 * Returns what our fee payers paid for and the database does not know to have landed, oldest first. Rejects with
 * HistoryMissing if no node has the complete history, judged by its first block and by what is known to have landed.
 */
export async function readUnbooked(
  chain: Chain,
  state: ChainState,
  { commitment, since }: { commitment: Finality; since: number },
): Promise<Landed[]> {
  const witness = await findWitness(chain.mode)
  const { compared } = state
  // A slot that was confirmed before this row was committed. Lost commits were signed later, and landed in later slots.
  const seen = compared?.seenSlot ?? witness?.slot ?? 0
  const onlyRestarted = compared?.lineage === state.lineage
  const isNeeded = witness !== null && (!onlyRestarted || witness.slot >= seen - RECENT_SLOTS)
  const saved = new Set<string>()
  const withoutMemo: ConfirmedSignatureInfo[] = []
  const isWitness = ({ signature }: ConfirmedSignatureInfo) => signature === witness?.signature
  const keep = async (page: ConfirmedSignatureInfo[]) => {
    const succeeded = page.filter(({ err }) => err === null)
    const read = await readPage(succeeded)
    withoutMemo.push(...read.withoutMemo)
    for (const [signature, status] of read.known) if (status === "saved") saved.add(signature)
    return succeeded.filter((one) => {
      const status = read.known.get(one.signature)
      const isUnbooked = status !== "confirmed" && (status !== "saved" || commitment === "finalized")
      return isWitness(one) || (isUnbooked && hasVouchMemo(one))
    })
  }
  const listed: ConfirmedSignatureInfo[] = []
  // If nothing limits how far back to search, the node returns what it has.
  const first = isNeeded
    ? Math.min(seen, witness.slot)
    : seen > 0
      ? seen
      : await chain.rpc.settling.firstAvailableBlock()
  const range = { slot: first, since: Math.max(since, compared?.seenSlot ?? 0), commitment, keep }
  for (const address of await namedByAll(chain))
    listed.push(...(await chain.rpc.settling.landedSince(publicKeyOf(address), range)))
  // From the node that returned everything: others may have returned a part.
  const isWitnessThere = listed.some(isWitness)
  if (isNeeded && !isWitnessThere)
    throw new HistoryMissing(`the node's history leaves out ${witness.signature}, which has landed`)
  await refuseHiddenMemos(chain, withoutMemo, isWitnessThere)
  const landed = listed.filter((one) => !isWitness(one))
  // Within a slot, too, the newest comes first. A transaction that names two fee payers is listed twice.
  const oldestFirst = landed.reverse().sort((one, other) => one.slot - other.slot)
  return [...new Map(oldestFirst.map((one) => [one.signature, one])).values()].map(({ signature, slot }) => ({
    signature,
    slot,
    isKnown: saved.has(signature),
  }))
}

/**
 * Like `readUnbooked`, but finalized, because it is written to the books: if there are two nodes, both must list the
 * same up to the requested slot. A node without that history does not count here, but its accounts do
 * (`comparison.ts`). Rejects with HistoryMissing if no node has the complete history, too few answer, or two disagree.
 */
export async function readAgreedUnbooked(chain: Chain, state: ChainState, asOf: { slot: number }): Promise<Landed[]> {
  const missing: HistoryMissing[] = []
  const lists = await askQuorum(chain.rpc.settling, (rpc) =>
    readUnbooked({ ...chain, rpc }, state, { commitment: "finalized", since: asOf.slot }).catch((error) => {
      if (!(error instanceof HistoryMissing)) throw error
      missing.push(error)
      return null
    }),
  ).catch((error) => {
    if (!isOfTheNodes(error) || chain.rpc.views.length === 1) throw error
    throw new HistoryMissing(`a second node must confirm it, but does not answer: ${error.message}`)
  })
  const [first, second] = lists.filter((list) => list !== null)
  if (first === undefined) throw missing[0]
  if (second === undefined) return first
  const upTo = (list: readonly Landed[]) =>
    new Set(list.flatMap(({ slot, signature }) => (slot <= asOf.slot ? signature : [])))
  const [inFirst, inSecond] = [upTo(first), upTo(second)]
  const contested = [...inFirst, ...inSecond].find((signature) => !(inFirst.has(signature) && inSecond.has(signature)))
  if (contested) throw new HistoryMissing(`one node lists ${contested} and another does not`)
  return first
}

/** The last transaction of a mode that is known to be final. One that is only confirmed may vanish with its slot. */
async function findWitness(mode: Mode): Promise<{ signature: string; slot: number } | null> {
  const [row] = await sql<{ signature: string; slot: bigint }[]>`
    select t.signature, t.slot from workspaces w, lateral (
      select signature, slot from transactions
      where workspace_id = w.id and status = 'confirmed' and finalized_at is not null order by created_at desc limit 1) t
    where w.mode = ${mode} order by t.slot desc limit 1`
  return row ? { signature: row.signature, slot: Number(row.slot) } : null
}

export async function hasOwnTransaction(chain: Chain, landed: readonly Landed[]): Promise<boolean> {
  const issuers = issuersOf(chain)
  for (const { signature } of landed) if ((await readOwnTransaction(chain, signature, issuers)) !== null) return true
  return false
}
