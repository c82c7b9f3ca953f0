import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import type { Audited } from "#server/ledger/reconciliation/report.ts"
import { credentialAccounts } from "./credential-accounts.ts"

/** Accounts that one getMultipleAccounts takes. */
const ACCOUNTS = 100

type Expected = {
  schema_id: string
  wallet: string
  /** The attestation whose unit the ledger believes the wallet to hold. */
  held: string | null
  /** The verified attestation, if there is one. */
  verified: string | null
  /** Whether an operation on the wallet's credential is under way. */
  busy: boolean
}

/** Every wallet that ever had an attestation holds one frozen unit if it is verified, and none otherwise. */
export async function auditCredentials(audited: Audited): Promise<void> {
  const { workspaceId } = audited
  const busy = await busyAccounts(workspaceId)
  const rows = sql<Omit<Expected, "busy">[]>`
    select a.schema_id, a.wallet, max(c.attestation_id) as held,
      max(a.id) filter (where a.status = 'verified') as verified
    from attestations a
    left join credentials c on c.workspace_id = a.workspace_id and c.schema_id = a.schema_id and c.wallet = a.wallet
    where a.workspace_id = ${workspaceId} and a.issued_at is not null
    group by a.schema_id, a.wallet`
  const held = new Map<string, bigint>()
  await forEachBatch(rows, ACCOUNTS, (batch) => compare(audited, batch, busy, held))
  await compareSupply(audited, held, busy)
}

async function busyAccounts(workspaceId: string): Promise<Set<string>> {
  const rows = await sql<{ account: string }[]>`
    select distinct unnest(writes) as account from operations
    where workspace_id = ${workspaceId} and status in ('queued', 'submitted')`
  return new Set(rows.map((row) => row.account))
}

async function compare(
  { workspaceId, chain, report }: Audited,
  batch: Omit<Expected, "busy">[],
  busy: Set<string>,
  supply: Map<string, bigint>,
): Promise<void> {
  const accounts = batch.map((one) => credentialAccounts(workspaceId, one.schema_id, one.wallet))
  const addresses = accounts.map(({ account }) => new PublicKey(account))
  const infos = await chain.connection.getMultipleAccountsInfo(addresses, "confirmed")
  for (const [i, { schema_id, wallet, held, verified }] of batch.entries()) {
    const { mint, account } = accounts[i]!
    const info = infos[i] ?? null
    const token = info === null ? null : unpackAccount(addresses[i]!, info, TOKEN_2022_PROGRAM_ID)
    const amount = token?.amount ?? 0n
    supply.set(mint, (supply.get(mint) ?? 0n) + amount)
    report.checked.credentials++
    const who = `${workspaceId}: the ${schema_id} credential of ${wallet}`
    if (amount > 1n)
      report.differences.push({ kind: "credential_not_one", detail: `${who} holds ${amount} units` })
    if (token && !token.isFrozen)
      report.differences.push({ kind: "credential_not_frozen", detail: `${who} is not frozen` })
    if (busy.has(account)) continue
    if (amount !== (verified === null ? 0n : 1n)) {
      const state = verified === null ? "no attestation is verified" : `${verified} is verified`
      report.differences.push({ kind: "credential_differs", detail: `${who} holds ${amount}, but ${state}` })
    }
    if (held !== verified) {
      const belief = held === null ? "that it holds nothing" : `that it is held by ${held}`
      report.differences.push({
        kind: "ledger_differs",
        detail: `${who}: the ledger believes ${belief}, but ${verified ?? "none"} is verified`,
      })
    }
  }
}

/** No unit is anywhere else: the mint's supply is the sum of what the known wallets hold. */
async function compareSupply(
  { workspaceId, chain, report }: Audited,
  held: Map<string, bigint>,
  busy: Set<string>,
): Promise<void> {
  if (busy.size > 0) {
    report.information.push(
      `${workspaceId}: ${busy.size} accounts have operations under way and were not compared`,
    )
    return
  }
  for (const [mint, sum] of held) {
    const { value } = await chain.connection.getTokenSupply(new PublicKey(mint), "confirmed")
    if (BigInt(value.amount) !== sum) {
      const detail = `${workspaceId}: ${value.amount} units of the credential ${mint} exist, but the known wallets hold ${sum}`
      report.differences.push({ kind: "credential_supply", detail })
    }
  }
}
