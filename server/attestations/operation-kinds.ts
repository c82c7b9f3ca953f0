import { PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import { type Issuer, type OperationKind, type Plan, registerKind } from "#server/ledger/kinds.ts"
import type { Operation } from "#server/ledger/operation.ts"
import { SystemError, TokenError } from "#server/ledger/program-error.ts"
import { attest, type Credential, createCredentialMint, renew, revoke } from "#server/solana/credential.ts"
import { attestationMemo, operationMemo } from "#server/solana/memo.ts"
import { judgeMintCreation } from "#server/solana/mint-account.ts"
import { clock } from "#server/time.ts"
import { credentialMintKey } from "./credential.ts"
import { standingChanged } from "./standing.ts"
import { withdrawCredential } from "./withdraw.ts"

const CANCELLED = { code: "cancelled", detail: "The attestation ended before it was signed." }

// Where instructions stand within an operation (`solana/credential.ts`).
const BURN = 2
// What thawing answers for an account that does not exist.
const ABSENT = new Set([
  "IncorrectProgramId",
  "InvalidAccountOwner",
  "InvalidAccountData",
  "UninitializedAccount",
])

const credentialOf = (issuer: Issuer, schemaId: string): Credential => ({
  mint: credentialMintKey(issuer.workspaceId, schemaId).publicKey,
  authority: issuer.authority.publicKey,
  feePayer: issuer.feePayer.publicKey,
})

const attestationIds = (operations: readonly Operation[]) =>
  operations.map((one) => one.payload.attestation_id!)

/** Creates a schema's credential mint. */
const createMint: OperationKind = {
  async plan(sql, operations, issuer) {
    const { rentOf } = issuer
    const schemaIds = operations.map((one) => one.payload.schema_id!)
    const schemas = await sql<{ id: string; name: string }[]>`
      select id, name from schemas where workspace_id = ${issuer.workspaceId} and id = any(${schemaIds})`
    const names = new Map(schemas.map((schema) => [schema.id, schema.name]))
    return new Map(
      operations.map((operation): [string, Plan] => {
        const schemaId = operation.payload.schema_id!
        const instructions = createCredentialMint(credentialOf(issuer, schemaId), {
          schemaId,
          schemaName: names.get(schemaId) ?? schemaId,
          memoText: operationMemo(operation.id),
          rentOf,
        })
        const signers = [credentialMintKey(issuer.workspaceId, schemaId)]
        return [operation.id, { do: "send", instructions, signers }]
      }),
    )
  },
  settle: async () => {},
  judge: (error, _operation, instruction) => judgeMintCreation(error, instruction),
}

type Approved = { id: string; status: string; commitment: string; expires_at: Date; held: string | null }

/** Gives a wallet its credential, or replaces the one of an earlier attestation. It never fails for good. */
const attestation: OperationKind = {
  async plan(sql, operations, issuer) {
    const rows = await sql<Approved[]>`
      select a.id, a.status, a.commitment, a.expires_at, c.attestation_id as held
      from attestations a
      left join credentials c on c.workspace_id = a.workspace_id and c.schema_id = a.schema_id and c.wallet = a.wallet
      where a.workspace_id = ${issuer.workspaceId} and a.id = any(${attestationIds(operations)})`
    const approved = new Map(rows.map((row) => [row.id, row]))
    return new Map(
      operations.map((operation): [string, Plan] => {
        const row = approved.get(operation.payload.attestation_id!)
        if (row?.status !== "pending") return [operation.id, { do: "fail", refusal: CANCELLED }]
        const credential = credentialOf(issuer, operation.payload.schema_id!)
        const wallet = new PublicKey(operation.payload.wallet!)
        const memo = attestationMemo(row.id, row.commitment, row.expires_at)
        const instructions = (row.held === null ? attest : renew)(credential, wallet, memo)
        return [operation.id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    const now = clock.now()
    const landed = settled.map(({ operation, landing }) => ({
      id: operation.payload.attestation_id!,
      landing: landing!,
    }))
    const rows = await sql<Omit<Landed, "workspace_id">[]>`
      select a.id, a.schema_id, a.wallet, a.status,
        (select attestation_id from credentials c
         where c.workspace_id = a.workspace_id and c.schema_id = a.schema_id and c.wallet = a.wallet) as held
      from attestations a where a.workspace_id = ${workspaceId} and a.id = any(${landed.map((one) => one.id)})
      order by a.id for update`
    await sql`
      update attestations a set onchain_tx = l.signature,
        status = case status when 'pending' then 'verified' else status end,
        verified_at = case status when 'pending' then ${now}::timestamptz end
      from unnest(${landed.map((one) => one.id)}::text[], ${landed.map((one) => one.landing.signature)}::text[]) as l(id, signature)
      where a.workspace_id = ${workspaceId} and a.id = l.id`
    for (const row of rows) await takeOver(sql, { workspace_id: workspaceId, ...row }, now)
  },

  judge: (error, _operation, instruction) =>
    instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports
      ? { verdict: "wait" }
      : { verdict: "retry" },
}

type Landed = {
  workspace_id: string
  id: string
  schema_id: string
  wallet: string
  status: string
  held: string | null
}

/** The wallet's unit on chain is now that of `row`: what held it before is superseded, or holds it again. */
async function takeOver(sql: Queryable, row: Landed, now: Date): Promise<void> {
  const { workspace_id, id, schema_id, wallet, held } = row
  let holder = id
  if (row.status === "pending") {
    if (held !== null) {
      await sql`
        update attestations set status = 'expired', reason = 'superseded', ended_at = ${now}
        where workspace_id = ${workspace_id} and id = ${held} and status = 'verified'`
    }
    await standingChanged(sql, { workspaceId: workspace_id, schemaId: schema_id, wallet })
  } else if (held !== null && (await isVerified(sql, workspace_id, held))) {
    // A renewal that ended while it was on its way, and the attestation that it would have replaced still
    // holds: the wallet keeps its one unit, for that one.
    holder = held
  } else {
    await withdrawCredential(sql, row)
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

/** Takes away the credential of an attestation that ended, if the wallet's unit is still that one's. */
const revocation: OperationKind = {
  async plan(sql, operations, issuer) {
    const held = await sql<{ attestation_id: string }[]>`
      select attestation_id from credentials
      where workspace_id = ${issuer.workspaceId} and attestation_id = any(${attestationIds(operations)})`
    const holders = new Set(held.map((row) => row.attestation_id))
    return new Map(
      operations.map((operation): [string, Plan] => {
        const { attestation_id, schema_id, wallet } = operation.payload
        if (!holders.has(attestation_id!)) return [operation.id, { do: "finish" }]
        const credential = credentialOf(issuer, schema_id!)
        const instructions = revoke(credential, new PublicKey(wallet!), operationMemo(operation.id))
        return [operation.id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    const ids = settled.map(({ operation }) => operation.payload.attestation_id!)
    await sql`
      update credentials set attestation_id = null
      where workspace_id = ${workspaceId} and attestation_id = any(${ids})`
  },

  // An absent or an empty account has nothing left to take.
  judge(error, _operation, instruction) {
    const absent = instruction === 0 && ABSENT.has(error.name)
    const empty = instruction === BURN && error.custom === TokenError.InsufficientFunds
    return absent || empty ? { verdict: "finish" } : { verdict: "retry" }
  },
}

registerKind("create_credential_mint", createMint)
registerKind("attest", attestation)
registerKind("revoke", revocation)
