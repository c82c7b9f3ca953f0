import type { TransactionInstruction } from "@solana/web3.js"
import { type Queryable, sql } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import { authorityOf, type Signer } from "#server/solana/keys.ts"
import { priorityFee, type SignedTransaction, signTransaction } from "#server/solana/transaction.ts"
import { clock } from "#server/time.ts"
import { byKind, type Issuer, type Plan } from "./kinds.ts"
import type { Operation } from "./operation.ts"
import { type Planned, pack } from "./pack.ts"
import { claim } from "./queue.ts"
import { failOperations, finishOperations } from "./settle.ts"

/** A transaction that may be sent: its bytes are saved. */
export type Saved = { signature: string; wire: Buffer; lastValidBlockHeight: number }

export type Turn = {
  chain: Chain
  workspaceId: string
  blockhash: { blockhash: string; lastValidBlockHeight: number }
  priorityFeeMicroLamports: number
}

/**
 * One workspace's turn: claims what can run, looks at it again, builds, signs and saves, all in one commit. What
 * it returns is saved, and only that may be sent. `ended` tells whether some operations needed no transaction.
 *
 * The claim is the row locks of this transaction. A worker that dies loses them and has sent nothing; a worker
 * that lost its connection cannot commit. So there is no lease to expire and no token to compare.
 */
export async function submitTurn({
  chain,
  workspaceId,
  blockhash,
  priorityFeeMicroLamports,
}: Turn): Promise<{ saved: Saved[]; ended: boolean }> {
  const now = clock.now()
  const issuer: Issuer = { workspaceId, chain, authority: authorityFor(chain, workspaceId) }
  return sql.begin(async (sql) => {
    const operations = await claim(sql, workspaceId, now)
    if (operations.length === 0) return { saved: [], ended: false }
    const planned = await carryOutPlans(sql, operations, await planAll(sql, operations, issuer))
    const ended = planned.length < operations.length
    const head = priorityFee(priorityFeeMicroLamports)
    const batches = pack(planned, { feePayer: chain.feePayer.publicKey, head })
    const signed = await Promise.all(
      batches.map((batch) => sign(batch, { issuer, head, blockhash: blockhash.blockhash })),
    )
    const lastValidBlockHeight = blockhash.lastValidBlockHeight
    const saved = await save(sql, { issuer, batches, signed, head: head.length, lastValidBlockHeight, now })
    return { saved: saved.map((transaction) => ({ ...transaction, lastValidBlockHeight })), ended }
  })
}

const sign = (
  batch: Planned[],
  { issuer, head, blockhash }: { issuer: Issuer; head: TransactionInstruction[]; blockhash: string },
): Promise<SignedTransaction> =>
  signTransaction({
    instructions: [...head, ...batch.flatMap((one) => one.instructions)],
    feePayer: issuer.chain.feePayer,
    signers: [...new Set([issuer.authority, ...batch.flatMap((one) => one.signers)])],
    blockhash,
  })

const CACHE_MAX = 10_000
const authorities = new Map<string, Signer>()

export function authorityFor(chain: Chain, workspaceId: string): Signer {
  let authority = authorities.get(workspaceId)
  if (!authority) {
    authority = authorityOf(chain.secret, workspaceId)
    if (authorities.size >= CACHE_MAX) authorities.clear()
    authorities.set(workspaceId, authority)
  }
  return authority
}

async function planAll(sql: Queryable, operations: Operation[], issuer: Issuer): Promise<Map<string, Plan>> {
  const plans = new Map<string, Plan>()
  for (const [kind, group] of byKind(operations, (operation) => operation)) {
    for (const [id, plan] of await kind.plan(sql, group, issuer)) plans.set(id, plan)
  }
  return plans
}

/** Ends what needs no transaction; returns what does, in the order of the line. */
async function carryOutPlans(
  sql: Queryable,
  operations: Operation[],
  plans: Map<string, Plan>,
): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const operation of operations) {
    const plan = plans.get(operation.id)
    if (plan?.do === "send")
      planned.push({ operation, instructions: plan.instructions, signers: plan.signers })
    else if (plan?.do === "finish") await finishOperations(sql, [operation])
    else if (plan?.do === "fail") await failOperations(sql, [operation], plan.refusal)
  }
  return planned
}

type ToSave = {
  issuer: Issuer
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
async function save(sql: Queryable, { issuer, batches, signed, head, lastValidBlockHeight, now }: ToSave) {
  if (batches.length === 0) return []
  const { workspaceId, chain } = issuer
  const layouts = batches.map((batch) =>
    JSON.stringify(batch.map(({ operation, instructions }) => [operation.id, instructions.length])),
  )
  const inserted = await sql<{ signature: string }[]>`
    insert into transactions (signature, workspace_id, mode, wire, layout, head, last_valid_block_height, status, created_at)
    select signature, ${workspaceId}, ${chain.mode}, decode(wire, 'base64'), layout::jsonb, ${head}, ${lastValidBlockHeight}, 'saved', ${now}
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
