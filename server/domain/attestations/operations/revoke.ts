import { PublicKey } from "@solana/web3.js"
import { z } from "zod"
import { defineOperation, type Plan } from "#server/ledger/definition.ts"
import { revoke as instructionsOf } from "#server/solana/credential.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { TokenError } from "#server/solana/program-error.ts"
import { credentialOf } from "../credential-accounts.ts"

// The position of the burn instruction in the operation (`solana/credential.ts`).
const BURN = 2
// What thawing answers for an account that does not exist.
const ABSENT = new Set([
  "IncorrectProgramId",
  "InvalidAccountOwner",
  "InvalidAccountData",
  "UninitializedAccount",
])

/** Takes away the credential of an attestation that ended, if the wallet's unit is still that one's. */
export const revoke = defineOperation({
  kind: "revoke",
  label: "Destroy credential",
  payload: z.object({ attestation_id: z.string(), schema_id: z.string(), wallet: z.string() }),
  look: null,

  async plan(sql, operations, issuer) {
    const held = await sql<{ attestation_id: string }[]>`
      select attestation_id from credentials
      where workspace_id = ${issuer.workspaceId}
        and attestation_id = any(${operations.map(({ payload }) => payload.attestation_id)})`
    const holders = new Set(held.map((row) => row.attestation_id))
    return new Map(
      operations.map(({ id, payload: { attestation_id, schema_id, wallet } }): [string, Plan] => {
        if (!holders.has(attestation_id)) return [id, { do: "finish" }]
        const credential = credentialOf(issuer, schema_id)
        const instructions = instructionsOf(credential, new PublicKey(wallet), operationMemo(id))
        return [id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    const ids = settled.map(({ operation }) => operation.payload.attestation_id)
    await sql`
      update credentials set attestation_id = null
      where workspace_id = ${workspaceId} and attestation_id = any(${ids})`
  },

  release: null,
  // An absent or an empty account has nothing left to take.
  recover(error, _operation, instruction) {
    const absent = instruction === 0 && ABSENT.has(error.name)
    const empty = instruction === BURN && error.custom === TokenError.InsufficientFunds
    return absent || empty ? { do: "finish" } : { do: "retry" }
  },
})
