import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { deployment } from "#domain/deployment"
import { voidPlans } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { feePayerPurpose } from "#server/solana/keys.ts"
import { feePayerIn } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import { openForWorkspace } from "./authority.ts"

/** The least balance before a key pays for a workspace: with less, all its operations would wait, even revocations. */
const LEAST_SOL = 0.01

/** The chosen fee payer has almost no SOL. */
export class EmptyFeePayer extends Error {
  constructor(address: Address) {
    super(`the fee payer ${address} has less than ${LEAST_SOL} SOL. Send it some first.`)
  }
}

/**
 * Gives a workspace its own fee payer or, with null, its mode's again. It pays for everything signed from then on.
 * Transactions saved before are sent unchanged and followed to their end. Returns the workspace's key. Throws
 * WrongSigner, SignerFailure if the key cannot sign, or EmptyFeePayer.
 */
export async function setFeePayer(workspaceId: string, uri: string | null, author: Author): Promise<Address | null> {
  const address = uri === null ? null : await openForWorkspace(uri, feePayerPurpose(workspaceId))
  if (address !== null) await requireFunds(workspaceId, address)
  await sql.begin(async (sql) => {
    // What is being signed was planned for the earlier fee payer.
    await voidPlans(sql, workspaceId)
    const [workspace] = await sql<{ fee_payer: Address | null }[]>`
      select fee_payer from workspaces where id = ${workspaceId} for no key update`
    const before = workspace!.fee_payer
    if (address !== null)
      await sql`
        insert into workspace_fee_payers (workspace_id, address, uri, created_at)
        values (${workspaceId}, ${address}, ${uri}, ${clock.now()})
        on conflict (workspace_id, address) do update set uri = excluded.uri`
    if (before === address) return
    await sql`update workspaces set fee_payer = ${address} where id = ${workspaceId}`
    const detail = { before: { fee_payer: before }, after: { fee_payer: address }, ...(uri && { at: uri }) }
    await recordChange(sql, workspaceId, { author, action: "signer.set", subject: workspaceId, detail })
  })
  publish("ledger")
  return address
}

/** The embedded network's faucet funds it as soon as it pays. */
async function requireFunds(workspaceId: string, address: Address): Promise<void> {
  const [row] = await sql<{ mode: Mode }[]>`select mode from workspaces where id = ${workspaceId}`
  const chain = deployment.chains[row!.mode]
  if (chain === null || chain.embedded) return
  const { value } = await chain.rpc.account(publicKeyOf(address), { since: 0 })
  if ((value?.lamports ?? 0) < LEAST_SOL * LAMPORTS_PER_SOL) throw new EmptyFeePayer(address)
}

/** The fee payers of each mode, current and earlier, the latest first; then those of workspaces with their own. */
export async function readFeePayers() {
  /** `workspace` is null if it is the mode's. */
  type Row = { mode: Mode; workspace: string | null; address: Address; uri: string; is_chosen: boolean | null }
  const rows = await sql<Row[]>`
    select * from (
      select mode, null as workspace, address, uri, null::boolean as is_chosen, created_at from fee_payers
      union all
      select w.mode, w.id, p.address, p.uri, coalesce(p.address = w.fee_payer, false), p.created_at
      from workspace_fee_payers p join workspaces w on w.id = p.workspace_id
    ) payers order by workspace nulls first, mode, created_at desc`
  const saved = await sql<{ workspace_id: string; wire: Buffer }[]>`
    select workspace_id, wire from transactions where status = 'saved'`
  const inProgress = saved.map(({ workspace_id, wire }) => ({ workspace_id, payer: feePayerIn(wire) }))
  return rows.map(({ mode, workspace, address, uri, is_chosen }) => {
    const chain = deployment.chains[mode]
    const isNow = is_chosen ?? (chain !== null && addressOf(chain.feePayer.publicKey) === address)
    const signed = inProgress.filter(
      (one) => one.payer === address && (workspace === null || one.workspace_id === workspace),
    )
    // Earlier fee payers are listed too, because their transactions are followed to the end.
    const pays: "now" | "before" = isNow ? "now" : "before"
    return { mode, workspace, address, uri, pays, under_way: signed.length }
  })
}
export type FeePayer = Awaited<ReturnType<typeof readFeePayers>>[number]
