import { background } from "#db/client.ts"
import { type Audited, differs } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { countedAs, type InvestorCounts } from "#shared/rules/investor-counts.ts"
import { evidenceOf } from "./book.ts"

type Placed = {
  mint_config: string
  investor: string
  attestation_id: string | null
  claims: Buffer | null
  lender_attestation_id: string | null
  lender_claims: Buffer | null
  lent_by: string | null
  /** Whether its operation is under way. */
  moves: boolean
}
type Wrong = { mint_config: string; wallet: Address; investor: string | null; expected: string | null }
type Unmatched = { mint_config: string; investor: string; has_slot: boolean }

/**
 * Every wallet that holds a token that counts investors must be counted for the person whose verification is in force,
 * every such person must have exactly one slot, and the counts must be those of the slots.
 */
export async function auditInvestors(audited: Audited): Promise<void> {
  const { workspaceId } = audited
  const { configs, slots, wrong, unmatched } = await background.begin(
    "isolation level repeatable read read only",
    async (sql) => {
      const configs = await sql<{ id: string; investors: InvestorCounts }[]>`
        select id, investors from mint_configs
        where workspace_id = ${workspaceId} and investors is not null and counted_up_to is null order by id`
      const ids = configs.map(({ id }) => id)
      if (ids.length === 0) return { configs, slots: [], wrong: [], unmatched: [] }
      const slots = await sql<Placed[]>`
        select s.mint_config, s.investor, s.attestation_id, a.claims, s.lender_attestation_id, l.claims as lender_claims, s.lent_by,
          exists (select from operations o where o.workspace_id = s.workspace_id and o.id = s.lent_by
            and (o.status in ('queued', 'submitted'))) as moves
        from investor_slots s left join attestations a on a.workspace_id = s.workspace_id and a.id = s.attestation_id
          left join attestations l on l.workspace_id = s.workspace_id and l.id = s.lender_attestation_id
        where s.workspace_id = ${workspaceId} and s.mint_config = any(${ids})`
      const wrong = await sql<Wrong[]>`
        select h.mint_config, h.wallet, h.investor, v.investor_id as expected
        from holdings h join mint_configs c on c.workspace_id = h.workspace_id and c.id = h.mint_config
        left join lateral (select investor_id from holder_of(h.workspace_id, c.required_schema, h.wallet, ${clock.now()})
          where in_force) v on true
        where h.workspace_id = ${workspaceId} and h.mint_config = any(${ids}) and (h.balance > 0 or h.incoming > 0)
          and (h.investor is null or h.investor <> v.investor_id)`
      const unmatched = await sql<Unmatched[]>`
        with owners as (
          select distinct mint_config, investor from holdings
          where workspace_id = ${workspaceId} and mint_config = any(${ids}) and investor is not null
            and (balance > 0 or incoming > 0)
        ), placed as (
          select mint_config, investor from investor_slots where workspace_id = ${workspaceId} and mint_config = any(${ids})
          union select mint_config, lender from investor_slots
          where workspace_id = ${workspaceId} and mint_config = any(${ids}) and lender is not null
        )
        select mint_config, investor, p is not null as has_slot
        from owners o full join placed p using (mint_config, investor) where o is null or p is null`
      return { configs, slots, wrong, unmatched }
    },
  )
  const differ = (detail: string) => differs(audited, "token_investors", detail)
  for (const { mint_config, wallet, investor, expected } of wrong)
    differ(`${wallet} holds ${mint_config} for ${investor ?? "no one"}, but is verified for ${expected ?? "no one"}`)
  for (const { mint_config, investor, has_slot } of unmatched)
    differ(
      `${investor} ${has_slot ? "has a slot, but holds nothing" : "holds units, but has no slot"} in ${mint_config}`,
    )
  for (const { mint_config, investor, lent_by, moves } of slots)
    if (lent_by !== null && !moves)
      differ(`the slot of ${investor} in ${mint_config} waits for ${lent_by}, which has ended`)
  for (const { id, investors } of configs) {
    const counts: Record<string, number> = {}
    for (const slot of slots) {
      if (slot.mint_config !== id) continue
      const own = countedAs(evidenceOf(slot.attestation_id, slot.claims).claims())
      const lent = slot.lent_by ? countedAs(evidenceOf(slot.lender_attestation_id, slot.lender_claims).claims()) : []
      for (const key of new Set([...own, ...lent])) counts[key] = (counts[key] ?? 0) + 1
    }
    const wrongKeys = [...new Set([...Object.keys(counts), ...Object.keys(investors)])].filter(
      (key) => (counts[key] ?? 0) !== (investors[key] ?? 0),
    )
    for (const key of wrongKeys)
      differ(`${investors[key] ?? 0} count as ${key} of ${id}, but there are ${counts[key] ?? 0}`)
  }
}
