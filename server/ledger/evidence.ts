import type { ConfirmedSignatureInfo } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes, isWithoutHistory } from "#server/solana/rpc/errors.ts"
import { BLOCKHASH_HEIGHTS, blockhashOf } from "#server/solana/transaction.ts"
import type { Mode } from "#shared/mode.ts"
import { decodeAll, type Effect, type Operations } from "./definition.ts"
import { issuedBy, namedByAll } from "./issuer.ts"
import { OPERATION_COLUMNS, type OperationRow } from "./operation.ts"
import { readPage, refuseHiddenMemos } from "./own-transactions.ts"
import { answersNeeded } from "./quorum.ts"
import type { Saved } from "./save.ts"
import type { Outcome } from "./settling.ts"

/** What is needed to find the outcome of a transaction. */
export type Sought = Pick<Saved, "signature" | "workspaceId" | "wire" | "signedSlot" | "lastValidBlockHeight">

/** Slots after which a blockhash is checked whatever the reported height: four times its lifetime. */
const LONGEST_SLOTS = 600

/** Whether a transaction may have expired as of a finalized slot and height. `examine` finds out whether it did. */
export const isLate = (
  { signedSlot, lastValidBlockHeight }: Pick<Sought, "signedSlot" | "lastValidBlockHeight">,
  finalized: { slot: number; height: number },
): boolean =>
  lastValidBlockHeight < finalized.height || (signedSlot !== null && finalized.slot - signedSlot > LONGEST_SLOTS)

type Examined = { late: readonly Sought[]; asOf: { slot: number } }

/** A transaction's final outcome, or why it cannot be known now. */
export type Verdict = Outcome | Doubt

/** `isPassing` if nodes failed to answer and may answer soon. Otherwise their answers are not enough. */
type Doubt = { signature: string; workspaceId: string; end: "doubt"; reason: string; isPassing: boolean }

/**
 * Finds the outcome of transactions of one workspace. By the height that a node reports, their blockhashes have been
 * invalid since the finalized `asOf.slot`. A node that does not know a transaction proves nothing. A transaction can no
 * longer land only if all of this holds:
 *
 * - At least as many slots have passed since it was signed as its blockhash is valid for in blocks, and a node reports
 *   the blockhash itself as invalid, at that slot or later. A height alone may be a wrong number, such as a slot.
 * - A node with history from before it was signed lists the transactions that name our authority, at that slot or
 *   later. The list contains neither the transaction nor its operations' memos, and the node does not know the
 *   transaction by its signature either.
 * - The list has our last transaction that is known to be final, and the last one from before the signing. So it is
 *   this chain's list, not empty for another reason and not cut short. It shows our memos (`own-transactions.ts`).
 * - At that slot, the chain does not show the effect of its operations.
 * - If there are several nodes, a second one reports the same, because one node may give consistent false answers. A
 *   node without history counts as the second if its accounts show no effect.
 *
 * Anything else is a doubt, and nothing is signed again. If the nodes cannot answer for one workspace, only that
 * workspace waits.
 */
export async function examine(chain: Chain, kinds: Operations, about: Examined): Promise<Verdict[]> {
  const { workspaceId } = about.late[0]!
  const doubt = (reason: string, isPassing: boolean): Verdict[] =>
    about.late.map(({ signature }) => ({ signature, workspaceId, end: "doubt", reason, isPassing }))
  try {
    await chain.rpc.nodes.identify({ persists: true })
    const { views } = chain.rpc.settling
    const needed = answersNeeded(chain.rpc)
    const reports: NodeReport[] = []
    for (const rpc of views) {
      if (reports.filter(({ isSilent }) => !isSilent).length >= needed && reports.some(({ isWhole }) => isWhole)) break
      reports.push(await questionNode({ ...chain, rpc }, kinds, about))
    }
    // The address may have served another chain in between.
    await chain.rpc.nodes.identify({ persists: true })
    return about.late.map(({ signature }) => combineReports({ signature, workspaceId }, reports, needed))
  } catch (error) {
    if (isOfTheNodes(error)) return doubt(error.message, !isWithoutHistory(error))
    throw error
  }
}

/**
 * What one node reports: `landed`, permanently `gone`, or `unseen`, which is all that a node without history can say.
 * After a `contradiction`, no node is believed. `nothing` means that it did not answer.
 */
type Answer =
  | { says: "landed"; outcome: Outcome }
  | { says: "gone" }
  | { says: "unseen" | "contradiction" | "nothing"; reason: string; isPassing: boolean }

type NodeReport = { answerOn: (signature: string) => Answer; isWhole: boolean; isSilent: boolean }

function combineReports(
  about: { signature: string; workspaceId: string },
  reports: readonly NodeReport[],
  needed: number,
): Verdict {
  const answers = reports.map(({ answerOn }) => answerOn(about.signature))
  const doubt = ({ reason, isPassing }: Pick<Doubt, "reason" | "isPassing">): Verdict => ({
    ...about,
    end: "doubt",
    reason,
    isPassing,
  })
  const of = <Says extends Answer["says"]>(says: Says) =>
    answers.filter((answer): answer is Extract<Answer, { says: Says }> => answer.says === says)
  const [contradiction] = of("contradiction")
  if (contradiction) return doubt(contradiction)
  const [landed, gone, unseen] = [of("landed"), of("gone"), of("unseen")]
  if (landed.length > 0 && gone.length > 0)
    return doubt({ reason: "one node lists it and another does not", isPassing: false })
  if (landed.length > 0) {
    const { outcome } = landed[0]!
    return outcome.end === "confirmed" ? { ...outcome, isFinal: landed.length >= needed } : outcome
  }
  if (gone.length > 0 && gone.length + unseen.length >= needed) return { ...about, end: "expired" }
  return doubt(answers.find((answer) => "reason" in answer) ?? { reason: "no node reports it", isPassing: true })
}

/** The report of the only node of `chain`. */
async function questionNode(chain: Chain, kinds: Operations, about: Examined): Promise<NodeReport> {
  const all = (says: "unseen" | "contradiction" | "nothing", reason: string, isPassing = false): NodeReport => ({
    answerOn: () => ({ says, reason, isPassing }),
    isWhole: says === "contradiction",
    isSilent: says === "nothing",
  })
  try {
    const alive = await findStillValid(chain, about.late, about.asOf)
    if (alive) return all("contradiction", alive)
    const effects = await readEffects(chain, kinds, about)
    try {
      return { ...(await searchHistory(chain, kinds, { ...about, effects })), isSilent: false }
    } catch (error) {
      if (!isWithoutHistory(error)) throw error
      const there = effects.there()
      const { message } = error as Error
      return there ? all("contradiction", `the effect of ${there} is on chain: ${message}`) : all("unseen", message)
    }
  } catch (error) {
    if (isOfTheNodes(error)) return all("nothing", error.message, !isWithoutHistory(error))
    throw error
  }
}

type Effects = {
  carried: Map<string, Carried[]>
  /** Finds an operation whose effect is on chain, of one transaction or of any; null if there is none. */
  there: (signature?: string) => string | null
}

async function readEffects(chain: Chain, kinds: Operations, { late, asOf }: Examined): Promise<Effects> {
  const { workspaceId } = late[0]!
  const rows = await sql<Carried[]>`
    select ${sql(OPERATION_COLUMNS)}, signature, status from operations
    where workspace_id = ${workspaceId} and signature = any(${late.map((one) => one.signature)})
      and status in ('submitted', 'confirmed')
    order by seq`
  const carried = Map.groupBy(rows, (row) => row.signature)
  // The books already have the effect of what was confirmed before, so they prove nothing about the chain.
  const unsettled = [...carried.values()].flat().filter((row) => row.status === "submitted" && !row.redo)
  const effects = await effectsOf(chain, kinds, { workspaceId, carried: unsettled, asOf })
  const there = (signature?: string) => {
    const rows = signature === undefined ? unsettled : (carried.get(signature) ?? [])
    return rows.find(({ id }) => effects.get(id) === "there")?.id ?? null
  }
  return { carried, there }
}

async function searchHistory(
  chain: Chain,
  kinds: Operations,
  { late, asOf, effects }: Examined & { effects: Effects },
): Promise<Omit<NodeReport, "isSilent">> {
  const { workspaceId } = late[0]!
  const since = Math.min(...late.map(firstSlotOf))
  const witnesses = await findWitnesses(chain.mode, workspaceId, { since, asOf: asOf.slot })
  const named = witnesses.some(({ isOfWorkspace }) => !isOfWorkspace)
    ? await namedByAll(chain)
    : await issuedBy(sql, workspaceId)
  const landed: ConfirmedSignatureInfo[] = []
  const withoutMemo: ConfirmedSignatureInfo[] = []
  const keep = async (page: ConfirmedSignatureInfo[]) => {
    withoutMemo.push(...(await readPage(page.filter(({ err }) => err === null))).withoutMemo)
    return page
  }
  // One after the other: there is more than one only if a key was replaced.
  for (const address of named) {
    const slot = Math.min(since, ...witnesses.map((witness) => witness.slot))
    const range = { slot, since: asOf.slot, commitment: "finalized" as const, keep }
    landed.push(...(await chain.rpc.persistent.landedSince(publicKeyOf(address), range)))
  }
  const listed = new Set(landed.map(({ signature }) => signature))
  const left = witnesses.find(({ signature }) => !listed.has(signature))
  const gap = left ? `the node's history leaves out ${left.signature}, which has landed` : null
  await refuseHiddenMemos(chain, withoutMemo, witnesses.length > 0)
  const bySignature = new Map(landed.map((one) => [one.signature, one]))
  const absent = late.flatMap(({ signature }) => (bySignature.has(signature) ? [] : signature))
  const unlisted = gap === null ? await knownButUnlisted(chain, absent) : new Set<string>()
  const answers = new Map<string, Answer>()
  for (const { signature } of late) {
    const found = bySignature.get(signature)
    const memoIds = kinds
      .byKind(effects.carried.get(signature) ?? [])
      .flatMap(([definition, rows]) => decodeAll(definition, rows).map((one) => definition.memoId(one)))
    const twin = landed.find(({ memo, err }) => err === null && memoIds.some((id) => memo?.includes(id)))
    const there = effects.there(signature)
    const contradict = (reason: string) => answers.set(signature, { says: "contradiction", reason, isPassing: false })
    if (found) answers.set(signature, { says: "landed", outcome: outcomeOf(found, workspaceId) })
    else if (twin) contradict(`${twin.signature} has its memo`)
    else if (there) contradict(`no history lists it, but the effect of ${there} is on chain`)
    else if (unlisted.has(signature)) contradict("no history lists it, but the node returns it when asked for it")
  }
  const other: Answer = gap === null ? { says: "gone" } : { says: "unseen", reason: gap, isPassing: false }
  return { answerOn: (signature) => answers.get(signature) ?? other, isWhole: gap === null }
}

/** Signatures that a node does not list, and yet knows when asked for each. */
async function knownButUnlisted({ rpc }: Chain, signatures: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  if (signatures.length === 0) return known
  const { value } = await rpc.persistent.statuses(signatures, { history: true })
  for (const [i, signature] of signatures.entries())
    if (value[i] || (await rpc.persistent.transaction(signature))) known.add(signature)
  return known
}

const outcomeOf = ({ signature, slot, err }: ConfirmedSignatureInfo, workspaceId: string): Outcome =>
  err === null
    ? { signature, workspaceId, end: "confirmed", slot, isFinal: true }
    : { signature, workspaceId, end: "failed", slot, error: err }

/** Why transactions may still land despite the reported height; null if none can. */
export async function findStillValid(
  chain: Chain,
  late: readonly Sought[],
  asOf: { slot: number },
): Promise<string | null> {
  for (const { signature, signedSlot } of late) {
    const passed = asOf.slot - (signedSlot ?? 0)
    if (passed < BLOCKHASH_HEIGHTS) return `only ${passed} slots have passed since ${signature} was signed`
  }
  for (const blockhash of new Set(late.map(({ wire }) => blockhashOf(wire)))) {
    if (await chain.rpc.persistent.isBlockhashValid(blockhash, { since: asOf.slot }))
      return `a node reports that its blockhash ${blockhash} is still valid`
  }
  return null
}

/** Slots after which another workspace's witness is better: about a day. Few nodes have much more history. */
const RECENT_SLOTS = 200_000
/** Workspaces that are searched for a witness. */
const WITNESS_WORKSPACES = 50

type Witness = { signature: string; slot: number; isOfWorkspace: boolean }

/**
 * Transactions known to be final by `asOf`: the last one, and the last one before `since`. A history that lists both is
 * complete between them. They are the workspace's own if possible, or else of the mode. None if nothing has landed.
 */
async function findWitnesses(
  mode: Mode,
  workspaceId: string,
  { since, asOf }: { since: number; asOf: number },
): Promise<Witness[]> {
  const rows = await sql<{ signature: string; slot: bigint; workspace_id: string }[]>`
    select t.signature, t.slot, w.id as workspace_id
    from (select id from workspaces where mode = ${mode} order by id = ${workspaceId} desc limit ${WITNESS_WORKSPACES}) w,
      (values (${asOf}::bigint), (${since - 1}::bigint)) as up_to(slot),
      lateral (select signature, slot from transactions
        where workspace_id = w.id and status = 'confirmed' and finalized_at is not null and slot <= up_to.slot
        order by created_at desc limit 1) t
    order by t.slot desc`
  const all = rows.map(({ signature, slot, workspace_id }) => ({
    signature,
    slot: Number(slot),
    isOfWorkspace: workspace_id === workspaceId,
  }))
  const own = all.filter(({ isOfWorkspace, slot }) => isOfWorkspace && slot >= since - RECENT_SLOTS)
  if (own.length > 0) return own
  const before = all.find(({ slot }) => slot < since && slot >= since - RECENT_SLOTS)
  return [...new Set([...all.slice(0, 1), ...(before ? [before] : [])])]
}

/** The first slot in which it can have landed. There are at least as many slots as blocks. */
const firstSlotOf = ({ signedSlot, lastValidBlockHeight }: Sought): number =>
  signedSlot ?? Math.max(0, lastValidBlockHeight - BLOCKHASH_HEIGHTS)

type Carried = OperationRow & { signature: string; status: "submitted" | "confirmed" }

export async function effectsOf(
  chain: Chain,
  kinds: Operations,
  about: { workspaceId: string; carried: readonly OperationRow[]; asOf: { slot: number } },
): Promise<Map<string, Effect>> {
  const { workspaceId, carried, asOf } = about
  const at = { workspaceId, chain, slot: asOf.slot }
  const effects = kinds
    .byKind(carried)
    .map(async ([definition, rows]) => [...(await definition.effects(decodeAll(definition, rows), at))])
  return new Map((await Promise.all(effects)).flat())
}
