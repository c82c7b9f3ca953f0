import type { ConfirmedSignatureInfo } from "@solana/web3.js"
import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { issuedBy } from "#server/ledger/issuer.ts"
import { hasVouchMemo, readPage, signersOf } from "#server/ledger/own-transactions.ts"
import { STATUSES } from "#server/ledger/quorum.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing, isUnreadable } from "#server/solana/rpc/errors.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import type { TransactionStatus } from "#shared/statuses.ts"
import { SignatureSet } from "./signature-set.ts"

export type Difference = { kind: string; detail: string }

export type Report = {
  checked: Record<"workspaces" | "credentials" | "operations" | "transactions" | "mint_configs" | "holdings", number>
  /** What the chain and the database disagree on. Should be empty. */
  differences: Difference[]
  /** Notes that are no fault, such as unfinished work. */
  information: string[]
}

export type Audited = { workspaceId: string; mode: Mode; chain: Chain; report: Report }

export const emptyReport = (): Report => ({
  checked: { workspaces: 0, credentials: 0, operations: 0, transactions: 0, mint_configs: 0, holdings: 0 },
  differences: [],
  information: [],
})

/** Reports what the chain and the database of a workspace disagree on. */
export const differs = (
  { workspaceId, report }: Pick<Audited, "workspaceId" | "report">,
  kind: string,
  detail: string,
) => report.differences.push({ kind, detail: `${workspaceId}: ${detail}` })

/** Reports what is no fault. */
export const inform = ({ workspaceId, report }: Pick<Audited, "workspaceId" | "report">, detail: string) =>
  report.information.push(`${workspaceId}: ${detail}`)

const ROWS = 1000
/**
 * The most unknown transactions to read, with and without our memo. Anyone can name our key in as many as they like.
 */
const READ_WITH_MEMO = 1000
const READ_WITHOUT = 100
/** How often reading is restarted if the history is pruned while it is read. */
const TRIES = 3

/**
 * Checks that every effect is on chain exactly once: compares the history of the workspace's authorities with the
 * database, from a slot on, or null for all that the node has. It takes 8 bytes per transaction. Returns the finalized
 * slot up to which everything is compared.
 */
export async function auditOperations(audited: Audited, from: number | null): Promise<number> {
  const { chain } = audited
  for (let tries = 1; ; tries++) {
    const began = clock.now()
    const { slot: upTo } = await chain.rpc.finalizedHeight()
    const first = await chain.rpc.firstAvailableBlock()
    try {
      await compareHistory(audited, { first: Math.max(from ?? 0, first), began, from, upTo })
      return upTo
    } catch (error) {
      if (!(error instanceof HistoryMissing) || tries === TRIES) throw error
    }
  }
}

type Range = { first: number; from: number | null; upTo: number; began: Date }

async function compareHistory(audited: Audited, range: Range): Promise<void> {
  const { chain, workspaceId, report } = audited
  const landed = new SignatureSet()
  const unknown = unknownTransactions(audited)
  for (const address of await issuedBy(sql, workspaceId)) {
    await chain.rpc.patient.landedSince(publicKeyOf(address), {
      slot: range.first,
      since: range.upTo,
      commitment: "confirmed",
      keep: async (page) => {
        const succeeded = page.filter(({ err }) => err === null)
        const { known } = await readPage(succeeded)
        await compareLanded(audited, known)
        for (const signature of known.keys()) landed.add(signature)
        await unknown.check(
          succeeded.filter(({ signature }) => !known.has(signature)),
          address,
        )
        return []
      },
    })
  }
  unknown.note()
  await compareTransactions(audited, landed, range)
  await compareOperations(audited, range)
  report.differences = [...new Map(report.differences.map((one) => [one.detail, one])).values()]
}

/** Compares the transactions on a page with what the database knows of them. */
async function compareLanded(audited: Audited, known: ReadonlyMap<string, TransactionStatus>): Promise<void> {
  for (const [signature, status] of known) {
    if (status === "failed" || status === "expired")
      differs(audited, "transaction_landed", `${signature} counts as ${status}, but it landed`)
  }
  const signatures = [...known.keys()]
  const carried = await sql<{ id: string; status: string; signature: string; by: string | null }[]>`
    select o.id, o.status, t.signature, o.signature as by
    from transactions t cross join lateral jsonb_array_elements(t.layout) part
    join operations o on o.workspace_id = t.workspace_id and o.id = part ->> 0
    where t.signature = any(${signatures}) and t.workspace_id = ${audited.workspaceId}
      and (o.status = 'failed' or (o.status = 'confirmed' and o.signature is distinct from t.signature))`
  for (const { id, status, signature, by } of carried)
    if (status === "failed") differs(audited, "operation_landed", `${id} counts as failed, but ${signature} carried it`)
    else differs(audited, "operation_repeated", `${id} is confirmed by ${by}, but ${signature} carried it as well`)
}

/** Checks transactions that name an authority and that the database does not know as ours. */
function unknownTransactions(audited: Audited) {
  let [withMemo, without, unread] = [0, 0, 0]
  return {
    async check(unknown: readonly ConfirmedSignatureInfo[], authority: Address): Promise<void> {
      for (const one of unknown) {
        const isRead = hasVouchMemo(one) ? ++withMemo <= READ_WITH_MEMO : ++without <= READ_WITHOUT
        if (!isRead) unread++
        else if (await isSignedBy(audited, one.signature, authority))
          differs(
            audited,
            "foreign_transaction",
            `${one.signature} was signed by the authority, but not by this deployment`,
          )
      }
    },
    note(): void {
      if (unread > 0) inform(audited, `${unread} more transactions name its authority; they were not read`)
    },
  }
}

/** Anyone can name our authority in a transaction and copy our memo into it. Only its signature counts. */
async function isSignedBy({ chain, report }: Audited, signature: string, authority: Address): Promise<boolean> {
  const transaction = await chain.rpc.patient.transaction(signature).catch((error) => {
    if (!isUnreadable(error)) throw error
    report.information.push(`${signature} names the authority, in a transaction version that Vouch does not read`)
    return null
  })
  return transaction !== null && signersOf(transaction.transaction.message).includes(authority)
}

/** A transaction that the list lacks is requested by its signature before it counts as missing. */
async function compareTransactions(
  audited: Audited,
  landed: SignatureSet,
  { first, from, began }: Range,
): Promise<void> {
  const { workspaceId, chain, report } = audited
  let older = 0
  const rows = sql<{ signature: string; slot: bigint }[]>`
    select signature, slot from transactions
    where workspace_id = ${workspaceId} and status = 'confirmed' and slot >= ${from ?? 0} and settled_at < ${began}`
  await forEachBatch(rows, STATUSES, async (batch) => {
    report.checked.transactions += batch.length
    const unlisted = batch.filter(({ signature }) => !landed.has(signature))
    const absent = unlisted.filter(({ slot }) => Number(slot) >= first).map(({ signature }) => signature)
    older += unlisted.length - absent.length
    if (absent.length === 0) return
    const statuses = await chain.rpc.patient.statuses(absent, { history: true })
    for (const [i, signature] of absent.entries()) {
      if (statuses.value[i]?.err === null) continue
      differs(audited, "transaction_missing", `${signature} is confirmed, but not found on chain`)
    }
  })
  if (older > 0) {
    const why = `older than the node's history, which begins at slot ${first}`
    inform(audited, `${older} transactions are ${why}, and were not compared`)
  }
}

/**
 * Checks that a transaction carried every confirmed operation. A failed transaction may have found its effect already
 * on chain. Archived rows cannot change, so only a full reconciliation compares them again.
 */
async function compareOperations(audited: Audited, { from }: Range): Promise<void> {
  const { workspaceId, report } = audited
  const rows = sql<{ id: string; signature: string }[]>`
    select o.id, o.signature from ${from === null ? sql`operations` : sql`only operations`} o
      left join transactions t on t.workspace_id = o.workspace_id and t.signature = o.signature
    where o.workspace_id = ${workspaceId} and o.status = 'confirmed' and o.signature is not null
      and (t.signature is null or t.status in ('saved', 'expired') or not exists (
        select from jsonb_array_elements(t.layout) part where part ->> 0 = o.id))`
  await forEachBatch(rows, ROWS, (batch) => {
    for (const { id, signature } of batch)
      differs(audited, "operation_missing", `${id} is confirmed by ${signature}, which did not carry it`)
  })
  const [counted] = await (from === null
    ? sql<{ count: number }[]>`select count(*)::int as count from operations where workspace_id = ${workspaceId}`
    : sql<{ count: number }[]>`
      select count(*)::int as count
      from transactions t join operations o on o.workspace_id = t.workspace_id and o.signature = t.signature
      where t.workspace_id = ${workspaceId} and t.slot >= ${from}`)
  report.checked.operations += counted!.count
}
