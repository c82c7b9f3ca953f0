import { sql } from "#db/client.ts"
import { bindingPolicy, loadBinding } from "#domain/approvals"
import { shownStatusAt } from "#domain/attestations"
import { statesOf, walletsOf } from "#domain/investors"
import { readRecovery, refusalOf } from "#domain/recoveries"
import type { Principal } from "#domain/requests"
import { configsHeldBy, type PositionRecord, readBars, readPositions } from "#domain/tokens"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"

/** The most wallets to offer. An investor has few. */
const MOST = 20

/**
 * A recovery as its page shows it: the person, what the members can do next, and while it needs a new wallet, whether
 * each of the investor's other wallets can be it. Errors: recovery_not_found.
 */
export async function viewRecovery(principal: Principal, id: string) {
  const { workspaceId } = principal
  const recovery = await readRecovery(principal, id)
  const { investor_id: investorId, state } = recovery
  const lostWallet = recovery.lost_wallet as Address
  const isUnderWay = state === "awaiting_approval" || state === "in_progress" || state === "completed"
  const [[investor], [latest], bars, binding, schemas, candidates] = await Promise.all([
    sql<{ external_id: string | null }[]>`
      select external_id from investors where workspace_id = ${workspaceId} and id = ${investorId}`,
    sql<{ id: string }[]>`
      select id from recoveries where workspace_id = ${workspaceId} and lost_wallet = ${lostWallet}
      order by seq desc limit 1`,
    readBars(sql, workspaceId, [lostWallet]),
    loadBinding(sql, workspaceId),
    isUnderWay ? [] : schemasOf(workspaceId, lostWallet),
    isUnderWay ? [] : candidatesFor(principal, { investorId, lostWallet }),
  ])
  const policy = bindingPolicy(binding, { action: "recovery", mint_config: null, amount: null, isForced: false })
  return {
    recovery,
    investor: { investor_id: investorId, external_id: investor?.external_id ?? null },
    /** Whether the lost wallet is barred, by this recovery or another one. */
    is_barred: bars(lostWallet) !== null,
    /** A later recovery of the same wallet; null if this is the latest. */
    later: latest && latest.id !== id ? latest.id : null,
    /** Which verifications the new wallet needs. */
    schemas,
    candidates,
    approvals_needed: policy?.approvals ?? 0,
    approver_roles: policy?.roles ?? [],
  }
}

async function schemasOf(workspaceId: string, wallet: Address): Promise<string[]> {
  const configs = await configsHeldBy(sql, workspaceId, wallet)
  const rows = await sql<{ schema: string }[]>`
    select distinct required_schema as schema from mint_configs
    where workspace_id = ${workspaceId} and id = any(${configs}) order by schema`
  return rows.map(({ schema }) => schema)
}

/** The investor's other wallets, newest first, each with its verifications and why it cannot be the new one. */
async function candidatesFor(
  principal: Principal,
  { investorId, lostWallet }: { investorId: string; lostWallet: Address },
) {
  const { workspaceId } = principal
  const own = (await walletsOf(workspaceId, [investorId]))(investorId)
  const others = own.filter((wallet) => wallet !== lostWallet).slice(0, MOST)
  const now = clock.now()
  const [states, proofs] = await Promise.all([
    statesOf(workspaceId, [{ investorId, wallets: others }]),
    sql<{ wallet: Address }[]>`
      select distinct wallet from attestations
      where workspace_id = ${workspaceId} and wallet = any(${others as string[]}) and investor_id = ${investorId}
        and status = 'verified' and wallet_proved_at is not null`,
  ])
  const proved = new Set(proofs.map(({ wallet }) => wallet))
  const refusals = await Promise.all(
    others.map((newWallet) => refusalOf(sql, principal, { investorId, lostWallet, newWallet })),
  )
  return others.map((wallet, i) => ({
    user_pubkey: wallet,
    states: states
      .filter((state) => state.wallet === wallet)
      .map((state) => ({ schema: state.schema_id, attestation_id: state.id, status: shownStatusAt(state, now) })),
    is_proved: proved.has(wallet),
    refusal: refusals[i]?.detail.replace(/^\w+: /, "") ?? null,
  }))
}

/** What a recovery would move to a wallet, and what blocks it. Errors: recovery_not_found. */
export async function previewRecovery(
  principal: Principal,
  { id, newWallet }: { id: string; newWallet: Address | null },
): Promise<{ positions: PositionRecord[] }> {
  const { lost_wallet } = await readRecovery(principal, id)
  const about = { recoveryId: null, lost: lost_wallet as Address, newWallet, phase: "open" } as const
  return { positions: await readPositions(principal, about) }
}
