import type { ConfirmedSignatureInfo, Finality } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { namedByAll } from "#server/ledger/issuer.ts"
import { hasOurMemo, readPage, refuseUntold } from "#server/ledger/memos.ts"
import { issuersOf, readOurs } from "#server/ledger/ours.ts"
import { askEnough } from "#server/ledger/several-nodes.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing, isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { ChainState } from "./state.ts"

/** A transaction that landed longer ago than about a day need not be in a node's history, if the database only restarted. */
const RECENT_SLOTS = 200_000

/** A successful transaction that names a fee payer of ours; `known` where it is saved, and only not settled. */
export type Landed = { signature: string; slot: number; isKnown: boolean }

/**
 * What a fee payer of ours paid for and the database does not know to have landed, oldest first. Rejects with HistoryMissing
 * where no node can tell all of it: by its first block, or because it leaves out what is known to have landed.
 */
export async function readNews(
  chain: Chain,
  state: ChainState,
  { commitment, since }: { commitment: Finality; since: number },
): Promise<Landed[]> {
  const witness = await findWitness(chain.mode)
  const { compared } = state
  // A confirmed slot, read before that was committed: whatever is lost was signed after, and landed later than it.
  const seen = compared?.seenSlot ?? witness?.slot ?? 0
  const onlyRestarted = compared?.lineage === state.lineage
  const isNeeded = witness !== null && (!onlyRestarted || witness.slot >= seen - RECENT_SLOTS)
  const saved = new Set<string>()
  const untold: ConfirmedSignatureInfo[] = []
  const isWitness = ({ signature }: ConfirmedSignatureInfo) => signature === witness?.signature
  const keep = async (page: ConfirmedSignatureInfo[]) => {
    const succeeded = page.filter(({ err }) => err === null)
    const told = await readPage(succeeded)
    untold.push(...told.untold)
    for (const [signature, status] of told.known) if (status === "saved") saved.add(signature)
    return succeeded.filter((one) => {
      const status = told.known.get(one.signature)
      const isNews = status !== "confirmed" && (status !== "saved" || commitment === "finalized")
      return isWitness(one) || (isNews && hasOurMemo(one))
    })
  }
  const listed: ConfirmedSignatureInfo[] = []
  // Where nothing tells how far back to look, a node says what it has.
  const first = isNeeded
    ? Math.min(seen, witness.slot)
    : seen > 0
      ? seen
      : await chain.rpc.settling.firstAvailableBlock()
  for (const address of await namedByAll(chain))
    listed.push(
      ...(await chain.rpc.settling.landedSince(publicKeyOf(address), {
        slot: first,
        since: Math.max(since, compared?.seenSlot ?? 0),
        commitment,
        keep,
      })),
    )
  // Of the node that has told all of it: others may have begun.
  const isWitnessThere = listed.some(isWitness)
  if (isNeeded && !isWitnessThere)
    throw new HistoryMissing(`the history that is told leaves out ${witness.signature}, which has landed`)
  await refuseUntold(chain, untold, isWitnessThere)
  const landed = listed.filter((one) => !isWitness(one))
  // Within a slot the newest comes first, too; and what names two of them is listed twice.
  const oldestFirst = landed.reverse().sort((one, other) => one.slot - other.slot)
  return [...new Map(oldestFirst.map((one) => [one.signature, one])).values()].map(({ signature, slot }) => ({
    signature,
    slot,
    isKnown: saved.has(signature),
  }))
}

/**
 * As `readNews`, finalized, for what is taken into the books by it: where there are two nodes, two list the same up to the slot
 * that is asked for. One that has no such history has no word in that; its accounts have (`comparison.ts`). Rejects with
 * HistoryMissing where no node tells all of it, too few answer, or two tell different things.
 */
export async function readAgreedNews(
  chain: Chain,
  state: ChainState,
  asOf: { slot: number },
): Promise<Landed[]> {
  const missing: HistoryMissing[] = []
  const words = await askEnough(chain.rpc.settling, (rpc) =>
    readNews({ ...chain, rpc }, state, { commitment: "finalized", since: asOf.slot }).catch((error) => {
      if (!(error instanceof HistoryMissing)) throw error
      missing.push(error)
      return null
    }),
  ).catch((error) => {
    if (!isOfTheNodes(error) || chain.rpc.views.length === 1) throw error
    throw new HistoryMissing(`a second node has to tell the same, and does not answer: ${error.message}`)
  })
  const [first, second] = words.filter((word) => word !== null)
  if (first === undefined) throw missing[0]
  if (second === undefined) return first
  const upTo = (list: readonly Landed[]) =>
    new Set(list.flatMap(({ slot, signature }) => (slot <= asOf.slot ? signature : [])))
  const [ours, theirs] = [upTo(first), upTo(second)]
  const contested = [...ours, ...theirs].find((signature) => !(ours.has(signature) && theirs.has(signature)))
  if (contested) throw new HistoryMissing(`one node lists ${contested} and another does not`)
  return first
}

/** The last transaction of a mode that is known to have landed for good: what is only confirmed may vanish with its slot. */
async function findWitness(mode: Mode): Promise<{ signature: string; slot: number } | null> {
  const [row] = await sql<{ signature: string; slot: bigint }[]>`
    select t.signature, t.slot from workspaces w, lateral (
      select signature, slot from transactions
      where workspace_id = w.id and status = 'confirmed' and finalized_at is not null order by created_at desc limit 1) t
    where w.mode = ${mode} order by t.slot desc limit 1`
  return row ? { signature: row.signature, slot: Number(row.slot) } : null
}

/** Those of the signatures that are ours, until there is one. */
export async function hasOurs(chain: Chain, landed: readonly Landed[]): Promise<boolean> {
  const issuers = issuersOf(chain)
  for (const { signature } of landed) if ((await readOurs(chain, signature, issuers)) !== null) return true
  return false
}
