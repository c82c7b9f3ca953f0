import type { TransactionInstruction } from "@solana/web3.js"
import { type Queryable, background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { authorityOf, type Signer } from "#server/solana/keys.ts"
import { priorityFee, type SignedTransaction, signTransaction } from "#server/solana/transaction.ts"
import type { Mode } from "#shared/mode.ts"
import type { Issuer, Operations } from "./definition.ts"
import type { OperationRow } from "./operation.ts"
import { type Planned, pack } from "./pack.ts"
import { carryOutPlans, type Facts, planAll } from "./plan.ts"
import { claim } from "./queue.ts"

/** A transaction that may be sent: its bytes are saved. */
export type Saved = { signature: string; workspaceId: string; wire: Buffer; lastValidBlockHeight: number }

export type Turn = {
  chain: Chain
  kinds: Operations
  workspaceId: string
  blockhash: { blockhash: string; lastValidBlockHeight: number }
  priorityFeeMicroLamports: number
  /** What the chain says of operations that an earlier turn could not plan without: then none but those are claimed. */
  facts: Facts | null
}

export type Taken = {
  saved: Saved[]
  /** Whether some operations needed no transaction. */
  ended: boolean
  /** Operations that are still in the line, because what the chain says of them has to be known first. */
  toLookUp: OperationRow[]
}

/**
 * One workspace's turn: claims what can run, looks at it again, builds, signs and saves, all in one commit. What
 * it returns is saved, and only that may be sent. It asks nobody but the database and waits for nothing: what has to
 * be read from the chain is read between two turns (`lookUp`).
 *
 * The claim is the row locks of this transaction. A worker that dies loses them and has sent nothing; a worker
 * that lost its connection cannot commit; one that stands still is cut off by the database within seconds. So there
 * is no lease to expire and no token to compare.
 */
export async function submitTurn(turn: Turn): Promise<Taken> {
  const { chain, kinds, workspaceId, blockhash, facts } = turn
  const now = clock.now()
  const issuer: Issuer = {
    workspaceId,
    authority: authorityFor(chain, workspaceId),
    feePayer: chain.feePayer,
    rentOf: chain.bound!.rentOf,
  }
  return sql.begin(async (sql) => {
    const operations = await claim(sql, workspaceId, { now, only: facts?.of ?? null })
    if (operations.length === 0) return { saved: [], ended: false, toLookUp: [] }
    const plans = await planAll(sql, operations, { kinds, issuer, facts })
    const { planned, toLookUp, ended } = await carryOutPlans(sql, kinds, operations, plans)
    const head = priorityFee(turn.priorityFeeMicroLamports)
    const batches = pack(planned, { feePayer: chain.feePayer.publicKey, head })
    const signed = await Promise.all(
      batches.map((batch) => sign(batch, { issuer, head, blockhash: blockhash.blockhash })),
    )
    const { mode } = chain
    const { lastValidBlockHeight } = blockhash
    const fresh = await save(sql, {
      workspaceId,
      mode,
      batches,
      signed,
      head: head.length,
      lastValidBlockHeight,
      now,
    })
    const saved = fresh.map((transaction) => ({ ...transaction, workspaceId, lastValidBlockHeight }))
    return { saved, ended, toLookUp }
  })
}

const sign = (
  batch: Planned[],
  { issuer, head, blockhash }: { issuer: Issuer; head: TransactionInstruction[]; blockhash: string },
): Promise<SignedTransaction> =>
  signTransaction({
    instructions: [...head, ...batch.flatMap((one) => one.instructions)],
    feePayer: issuer.feePayer,
    signers: [...new Set([issuer.authority, ...batch.flatMap((one) => one.signers)])],
    blockhash,
  })

export const authorityFor = (chain: Chain, workspaceId: string): Signer =>
  authorityOf(chain.secret, workspaceId)

type ToSave = {
  workspaceId: string
  mode: Mode
  batches: Planned[][]
  signed: SignedTransaction[]
  head: number
  lastValidBlockHeight: number
  now: Date
}

/**
 * Saves signed transactions and binds their operations to them. Returns those that are saved: the very same bytes may
 * have been saved before (the same operations under the same blockhash); they failed then, and go again with the
 * next blockhash.
 */
async function save(
  sql: Queryable,
  { workspaceId, mode, batches, signed, head, lastValidBlockHeight, now }: ToSave,
) {
  if (batches.length === 0) return []
  const layouts = batches.map((batch) =>
    JSON.stringify(batch.map(({ operation, instructions }) => [operation.id, instructions.length])),
  )
  const inserted = await sql<{ signature: string }[]>`
    insert into transactions (signature, workspace_id, mode, wire, layout, head, last_valid_block_height, status, created_at)
    select signature, ${workspaceId}, ${mode}, decode(wire, 'base64'), layout::jsonb, ${head}, ${lastValidBlockHeight}, 'saved', ${now}
    from unnest(${signed.map((one) => one.signature)}::text[], ${signed.map((one) => one.wire.toString("base64"))}::text[], ${layouts}::text[])
      as t(signature, wire, layout)
    on conflict do nothing returning signature`
  const fresh = new Set(inserted.map((row) => row.signature))
  const bound = batches.flatMap((batch, i) => {
    const { signature } = signed[i]!
    return fresh.has(signature) ? batch.map(({ operation }) => ({ id: operation.id, signature })) : []
  })
  await sql`
    update operations o set status = 'submitted', signature = b.signature
    from unnest(${bound.map((one) => one.id)}::text[], ${bound.map((one) => one.signature)}::text[]) as b(id, signature)
    where o.workspace_id = ${workspaceId} and o.id = b.id`
  return signed.filter(({ signature }) => fresh.has(signature))
}
