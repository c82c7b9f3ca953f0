import { PublicKey } from "@solana/web3.js"
import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import type { Audited, Difference } from "#server/ledger/index.ts"
import { readSupply } from "#server/solana/mint-account.ts"
import { readTokenAccount } from "#server/solana/token-account.ts"
import type { Address } from "#shared/address.ts"
import { credentialAccounts } from "./credential-accounts.ts"
import { lastLandingOnCredentials } from "./effects.ts"

/** The most accounts that one getMultipleAccounts takes. */
const ACCOUNTS = 100

type Expected = {
  schema_id: string
  wallet: Address
  /** The attestation whose unit the wallet holds, according to the ledger. */
  held: string | null
  /** The id of the verified attestation, if there is one. */
  verified: string | null
}

/**
 * Checks that every wallet that ever had an attestation holds one frozen unit if it is verified, and none otherwise.
 * Each difference is checked twice, because a change in progress does not show the same difference twice.
 */
export async function auditCredentials(audited: Audited): Promise<void> {
  const { workspaceId, report } = audited
  const before = await lastWork(workspaceId)
  let busy = await busyAccounts(workspaceId)
  const held = new Map<string, bigint>()
  await forEachBatch(expected(workspaceId, null), ACCOUNTS, async (batch) => {
    report.checked.credentials += batch.length
    const suspects = await compare(audited, batch, { busy, seen: (mint, amount) => add(held, mint, amount) })
    if (suspects.length === 0) return
    busy = await busyAccounts(workspaceId)
    const again = await expected(
      workspaceId,
      suspects.map(({ wallet }) => wallet),
    )
    const lasting = await compare(audited, again, { busy, seen: () => {} })
    const known = new Set(suspects.map(({ detail }) => detail))
    for (const { kind, detail } of lasting) if (known.has(detail)) report.differences.push({ kind, detail })
  })
  await compareSupply(audited, held, before)
}

const expected = (workspaceId: string, wallets: Address[] | null) => sql<Expected[]>`
  select a.schema_id, a.wallet, max(c.attestation_id) as held,
    max(a.id) filter (where a.status = 'verified') as verified
  from attestations a
  left join credentials c on c.workspace_id = a.workspace_id and c.schema_id = a.schema_id and c.wallet = a.wallet
  where a.workspace_id = ${workspaceId} and a.issued_at is not null
    and (${wallets === null} or a.wallet = any(${wallets ?? []}::text[]))
  group by a.schema_id, a.wallet`

const add = (sums: Map<string, bigint>, of: string, amount: bigint) => sums.set(of, (sums.get(of) ?? 0n) + amount)

async function busyAccounts(workspaceId: string): Promise<Set<string>> {
  const rows = await sql<{ account: string }[]>`
    select distinct unnest(writes) as account from operations
    where workspace_id = ${workspaceId} and status in ('queued', 'submitted')`
  return new Set(rows.map((row) => row.account))
}

/** A workspace's last transaction and number of unfinished operations. While both stay the same, nothing moves. */
async function lastWork(workspaceId: string): Promise<{ last: string | null; slot: number; busy: number }> {
  const [row] = await sql<{ last: string | null; slot: bigint | null; busy: number }[]>`
    select t.signature as last, t.slot, (select count(*)::int from operations
      where workspace_id = ${workspaceId} and status in ('queued', 'submitted')) as busy
    from (select) one left join lateral (
      select signature, slot from transactions where workspace_id = ${workspaceId} order by created_at desc limit 1) t on true`
  const { last, slot, busy } = row!
  return { last, slot: Number(slot ?? 0), busy }
}

type Suspect = Difference & { wallet: Address }

async function compare(
  { workspaceId, chain }: Audited,
  batch: readonly Expected[],
  { busy, seen }: { busy: ReadonlySet<string>; seen: (mint: string, amount: bigint) => void },
): Promise<Suspect[]> {
  const suspects: Suspect[] = []
  const accounts = batch.map((one) => credentialAccounts(workspaceId, one.schema_id, one.wallet))
  const addresses = accounts.map(({ account }) => new PublicKey(account))
  const since = await lastLandingOnCredentials(
    sql,
    workspaceId,
    batch.map((payload) => ({ payload })),
  )
  const { value: infos } = await chain.rpc.patient.accounts(addresses, { since })
  for (const [i, { schema_id, wallet, held, verified }] of batch.entries()) {
    const { mint, account } = accounts[i]!
    const info = infos[i] ?? null
    const token = readTokenAccount(addresses[i]!, info, new PublicKey(mint))
    const amount = token?.amount ?? 0n
    seen(mint, amount)
    const differs = (kind: string, detail: string) => suspects.push({ wallet, kind, detail })
    const who = `${workspaceId}: the ${schema_id} credential of ${wallet}`
    if (amount > 1n) differs("credential_not_one", `${who} holds ${amount} units`)
    if (token && !token.isFrozen) differs("credential_not_frozen", `${who} is not frozen`)
    if (busy.has(account)) continue
    if (amount !== (verified === null ? 0n : 1n)) {
      const state = verified === null ? "no attestation is verified" : `${verified} is verified`
      differs("credential_differs", `${who} holds ${amount}, but ${state}`)
    }
    if (held !== verified) {
      const belief = held === null ? "that it holds nothing" : `that it is held by ${held}`
      differs("ledger_differs", `${who}: the ledger believes ${belief}, but ${verified ?? "none"} is verified`)
    }
  }
  return suspects
}

/** Checks that no unit is anywhere else: the mint's supply must equal the sum of what the known wallets hold. */
async function compareSupply(
  { workspaceId, chain, report }: Audited,
  held: Map<string, bigint>,
  before: Awaited<ReturnType<typeof lastWork>>,
): Promise<void> {
  const supplies: [mint: string, sum: bigint, supply: bigint][] = []
  for (const [mint, sum] of held)
    supplies.push([mint, sum, await readSupply(chain.rpc.patient, new PublicKey(mint), { since: before.slot })])
  const after = await lastWork(workspaceId)
  if (before.busy > 0 || after.busy > 0 || after.last !== before.last) {
    const detail = `${workspaceId}: operations were in progress, so supplies of credentials were not compared`
    report.information.push(detail)
    return
  }
  for (const [mint, sum, supply] of supplies) {
    if (supply === sum) continue
    const detail = `${workspaceId}: ${supply} units of the credential ${mint} exist, but the known wallets hold ${sum}`
    report.differences.push({ kind: "credential_supply", detail })
  }
}
