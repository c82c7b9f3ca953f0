import { z } from "zod"
import { followVerification } from "#domain/token-investors"
import { defineOperation, type Effect, type Plan, voidPlans } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { revoke as instructionsOf } from "#server/solana/credential.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { credentialAccounts, loadCredentials } from "../credential-accounts.ts"
import { lastLandingOnCredentials, lookUpUnits, readFinalizedUnits, readHolders, type SeenUnits } from "../effects.ts"

const REASON_LOST = "Revoked before the database was restored from a backup; the reason was not in it."

/** Burns the credential of an attestation that ended, if the wallet's unit is still that attestation's. */
export const revoke = defineOperation({
  kind: "revoke",
  label: "Destroy credential",
  isUrgent: true,
  payload: z.object({ attestation_id: z.string(), schema_id: z.string(), wallet: storedAddress }),
  lookUp: lookUpUnits,

  async plan(sql, operations, issuer, seen: SeenUnits | null) {
    const holderOf = await readHolders(sql, issuer.workspaceId, operations)
    const landed = seen === null ? 0 : await lastLandingOnCredentials(sql, issuer.workspaceId, operations)
    const ids = operations.map(({ payload }) => payload.schema_id)
    const credentials = await loadCredentials(sql, { issuer, ids })
    return new Map(
      operations.map(({ id, attempts, payload, redo }): [string, Plan] => {
        const { attestation_id, schema_id, wallet } = payload
        const holder = holderOf(payload) ?? null
        if (!redo && holder !== attestation_id) return [id, { do: "finish" }]
        const there = seen === null || landed > seen.slot ? undefined : seen.units.get(id)
        if (there === undefined) return [id, { do: "look up" }]
        // A redone operation leaves the unit of a newer attestation in place.
        const told = redo && holder !== null ? there - 1n : there
        const isSure = seen!.sure.has(id)
        // Only Vouch can burn a unit that is in the books. If the only node reports it as missing, the chain decides: a
        // burn without a unit fails.
        const isContested = !redo && told <= 0n && isSure && seen!.hasOneNode && attempts === 0
        const units = isContested ? 1n : told
        if (units <= 0n) return [id, { do: isSure ? "finish" : "defer" }]
        const { credential } = credentials.get(schema_id)!
        const memoText = operationMemo(id)
        const instructions = instructionsOf(credential, publicKeyOf(wallet), { units, memoText })
        return [id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    const ids = settled.map(({ payload }) => payload.attestation_id)
    await sql`
      update credentials set attestation_id = null
      where workspace_id = ${workspaceId} and attestation_id = any(${ids})`
  },

  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  async effects(operations, at) {
    const all = await readFinalizedUnits(operations, at)
    const effectOf = (isHolder: boolean, units: bigint): Effect =>
      !isHolder ? "unclear" : units === 0n ? "there" : "absent"
    return new Map(
      all.map(({ operation, units, held }) => [
        operation.id,
        effectOf(held === operation.payload.attestation_id, units),
      ]),
    )
  },
  /** Only ended attestations are burned, so this one has ended even if the restored row says otherwise. */
  async rebuild(sql, { instruction, accounts: [account, mint] }, { workspaceId, ownerOf }) {
    const wallet = ownerOf(account!)
    if (instruction !== "Burn" || wallet === null) return null
    const schemas = await sql<{ id: string }[]>`select id from schemas where workspace_id = ${workspaceId}`
    const schema = schemas.find(({ id }) => credentialAccounts(workspaceId, id, wallet).mint === mint)
    if (!schema) return null
    const [held] = await sql<{ attestation_id: string | null }[]>`
      select attestation_id from credentials
      where workspace_id = ${workspaceId} and schema_id = ${schema.id} and wallet = ${wallet}`
    // The burned units were issued after the backup, so the database does not know them.
    if (!held?.attestation_id) return "nothing"
    const now = clock.now()
    await sql`
      update attestations set ended_at = ${now}, status = case when expires_at <= ${now} then 'expired' else 'rejected' end,
        revoked_at = case when expires_at > ${now} then ${now}::timestamptz end,
        reason = case when expires_at > ${now} then ${REASON_LOST} end
      where workspace_id = ${workspaceId} and id = ${held.attestation_id} and status = 'verified'`
    await followVerification(sql, { workspaceId, schemaId: schema.id, wallet })
    await voidPlans(sql, workspaceId)
    return { attestation_id: held.attestation_id, schema_id: schema.id, wallet }
  },
  // Checks again whether there is something to burn.
  attach: null,
  recover: () => ({ do: "retry" }),
})
