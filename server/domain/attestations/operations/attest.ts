import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { followVerification } from "#domain/token-investors"
import { defineOperation, type Effect, type Plan, voidPlans } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { attest as attestInstructions, renew as renewInstructions } from "#server/solana/credential.ts"
import { attestationMemo } from "#server/solana/memo.ts"
import { SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import { loadCredentials } from "../credential-accounts.ts"
import { lastLandingOnCredentials, lookUpUnits, readFinalizedUnits, type SeenUnits } from "../effects.ts"
import { endOthers, lockOwners, revokeCredential } from "../end.ts"
import { endLostApproval } from "../unexplained.ts"

const CANCELLED = { code: "cancelled", detail: "The attestation ended before its transaction was signed." }

type Approved = { id: string; status: string; commitment: string; expires_at: Date; held: string | null }

/** Gives a wallet its credential, or replaces the one of an earlier attestation. It never fails permanently. */
export const attest = defineOperation({
  kind: "attest",
  label: "Issue credential",
  isUrgent: false,
  payload: z.object({ attestation_id: z.string(), schema_id: z.string(), wallet: storedAddress }),
  // Needed only for an operation that vanished and is redone. Otherwise the books say what a wallet holds.
  lookUp: lookUpUnits,

  async plan(sql, operations, issuer, seen: SeenUnits | null) {
    const rows = await sql<Approved[]>`
      select a.id, a.status, a.commitment, a.expires_at, c.attestation_id as held
      from attestations a
      left join credentials c on c.workspace_id = a.workspace_id and c.schema_id = a.schema_id and c.wallet = a.wallet
      where a.workspace_id = ${issuer.workspaceId} and a.id = any(${operations.map(({ payload }) => payload.attestation_id)})`
    const approved = new Map(rows.map((row) => [row.id, row]))
    const ids = operations.map(({ payload }) => payload.schema_id)
    const credentials = await loadCredentials(sql, { issuer, ids })
    const landed = seen === null ? 0 : await lastLandingOnCredentials(sql, issuer.workspaceId, operations)
    const unitsOf = (id: string) => (seen === null || landed > seen.slot ? undefined : seen.units.get(id))
    return new Map(
      operations.map(({ id, payload, redo }): [string, Plan] => {
        const row = approved.get(payload.attestation_id)
        if (redo && row?.held !== payload.attestation_id) return [id, { do: "finish" }]
        if (!redo && row?.status !== "pending") return [id, { do: "fail", refusal: CANCELLED }]
        const units = redo ? unitsOf(id) : row!.held === null ? 0n : 1n
        if (units === undefined) return [id, { do: "look up" }]
        // If it is not certain that the wallet holds none, it could get a second unit.
        if (redo && units === 0n && !seen?.sure.has(id)) return [id, { do: "defer" }]
        const memo = attestationMemo(row!.id, row!.commitment, row!.expires_at)
        const build = units === 0n ? attestInstructions : renewInstructions
        const { credential } = credentials.get(payload.schema_id)!
        const instructions = build(credential, publicKeyOf(payload.wallet), memo)
        return [id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    const now = clock.now()
    const landed = settled.flatMap(({ payload, landing }) =>
      landing === null ? [] : [{ id: payload.attestation_id, signature: landing.signature }],
    )
    const rows = await sql<Omit<Landed, "workspace_id">[]>`
      select a.id, a.schema_id, a.wallet, a.status,
        (select attestation_id from credentials c
         where c.workspace_id = a.workspace_id and c.schema_id = a.schema_id and c.wallet = a.wallet) as held
      from attestations a where a.workspace_id = ${workspaceId} and a.id = any(${landed.map((one) => one.id)})
      order by a.id for update`
    const wallets = rows.map(({ wallet }) => wallet)
    await sql`
      update attestations a set onchain_tx = l.signature,
        status = case status when 'pending' then 'verified' else status end,
        verified_at = case status when 'pending' then ${now}::timestamptz end
      from unnest(${landed.map((one) => one.id)}::text[], ${landed.map((one) => one.signature)}::text[]) as l(id, signature)
      where a.workspace_id = ${workspaceId} and a.id = l.id`
    // Before a configuration is locked, as where a wallet is proven.
    await lockOwners(sql, workspaceId, wallets)
    for (const row of rows) await takeOver(sql, { workspace_id: workspaceId, ...row }, now)
    await endOthers(sql, { workspaceId, wallets, now })
  },

  async settleAgain(sql, settled, workspaceId) {
    const landed = settled.flatMap(({ payload, landing }) =>
      landing === null ? [] : [{ id: payload.attestation_id, signature: landing.signature }],
    )
    await sql`
      update attestations a set onchain_tx = l.signature
      from unnest(${landed.map((one) => one.id)}::text[], ${landed.map((one) => one.signature)}::text[]) as l(id, signature)
      where a.workspace_id = ${workspaceId} and a.id = l.id`
  },

  release: null,
  memoId: ({ payload }) => payload.attestation_id,
  async effects(operations, at) {
    const all = await readFinalizedUnits(operations, at)
    // A renewal keeps the number of units the same.
    const effectOf = (units: bigint, held: string | null): Effect =>
      held !== null ? "unclear" : units > 0n ? "there" : "absent"
    return new Map(all.map(({ operation, units, held }) => [operation.id, effectOf(units, held)]))
  },
  /** Only the lost row had the verified facts. If its session still exists, end it and burn the unit. */
  async rebuild(sql, { id, memo }, { workspaceId, signature }) {
    const lost = await endLostApproval(sql, workspaceId, memo)
    if (lost) return { attestation_id: id, ...lost }
    const [row] = await sql`
      select id from attestations where workspace_id = ${workspaceId} and id = ${id} and onchain_tx = ${signature}`
    return row ? "nothing" : null
  },
  attach: null,
  recover: (error, _operation, instruction) =>
    instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports ? { do: "wait" } : { do: "retry" },
})

type Landed = {
  workspace_id: string
  id: string
  schema_id: string
  wallet: Address
  status: string
  held: string | null
}

/** The wallet's unit now belongs to `row`. The attestation that held it before is superseded, or holds it again. */
async function takeOver(sql: Queryable, row: Landed, now: Date): Promise<void> {
  const { workspace_id, id, schema_id, wallet, held } = row
  let holder = id
  if (row.status === "pending") {
    if (held !== null) {
      await sql`
        update attestations set status = 'expired', reason = 'superseded', ended_at = ${now}
        where workspace_id = ${workspace_id} and id = ${held} and status = 'verified'`
      // Rules now use what the new attestation says about the person.
      await voidPlans(sql, workspace_id)
    }
    await followVerification(sql, { workspaceId: workspace_id, schemaId: schema_id, wallet })
  } else if (held !== null && (await isVerified(sql, workspace_id, held))) {
    // A renewal ended while it was on its way, and the attestation that it would have replaced still holds. The wallet
    // keeps its one unit, for that attestation.
    holder = held
  } else {
    await revokeCredential(sql, row)
  }
  await sql`
    insert into credentials (workspace_id, schema_id, wallet, attestation_id)
    values (${workspace_id}, ${schema_id}, ${wallet}, ${holder})
    on conflict (workspace_id, schema_id, wallet) do update set attestation_id = excluded.attestation_id`
}

async function isVerified(sql: Queryable, workspaceId: string, attestationId: string): Promise<boolean> {
  const rows = await sql`
    select id from attestations where workspace_id = ${workspaceId} and id = ${attestationId} and status = 'verified' for update`
  return rows.length > 0
}
