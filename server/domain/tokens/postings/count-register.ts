import { z } from "zod"
import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { type Principal, requireScope } from "#domain/requests"
import { readConfig } from "../configs.ts"
import { disclosureFor } from "../holder-facts.ts"
import { finalMoment } from "./moments.ts"
import type { RegisterQuestion } from "./register-at.ts"
import { withOwners } from "./register-by-investor.ts"
import { holdersAt } from "./register-rows.ts"
import { verifiedAt } from "./verified-at.ts"

export const registerCounts = z.object({ holders: z.number().int(), unverified: z.number().int() })

/**
 * How many rows the register has, and how many have a wallet that was not verified. This adds up all holders, so the
 * dashboard asks for it apart from the rows. Errors: mint_config_not_found, not_final_yet, insufficient_scope,
 * chain_not_configured, chain_unavailable.
 */
export async function countRegister(
  principal: Principal,
  { mintConfig, at, group }: Pick<RegisterQuestion, "mintConfig" | "at" | "group">,
): Promise<z.infer<typeof registerCounts>> {
  const { workspaceId } = principal
  const isByInvestor = group === "investor"
  if (isByInvestor && !disclosureFor(principal).attestations) requireScope(principal, "attestation:read")
  const { required_schema } = await readConfig(workspaceId, mintConfig, "mint_config")
  const moment = await finalMoment(principal, mintConfig, at)
  const of = { workspaceId, mintConfig, moment }
  const rows = await sql<z.infer<typeof registerCounts>[]>`
    select count(*)::int as holders, count(*) filter (where is_unverified)::int as unverified from (
      select bool_or(v.wallet is null) as is_unverified
      from (${isByInvestor ? withOwners(of, sql``) : holdersAt(of, { most: null })}) h
      left join (select distinct wallet from (${verifiedAt(workspaceId, required_schema, moment)}) a) v
        on v.wallet = h.wallet
      group by ${isByInvestor ? sql`coalesce(h.investor_id, h.wallet)` : sql`h.wallet`}
    ) r`
  return only(rows)
}
