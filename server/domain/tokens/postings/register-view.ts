import { z } from "zod"
import { sql } from "#db/client.ts"
import { readStandings, shownStanding } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { timestamp, wallet } from "#server/lib/fields.ts"
import type { Address } from "#shared/address.ts"
import { standings } from "#shared/statuses.ts"
import { readConfig } from "../configs.ts"
import { loadFreezes, shownFreezes, toShownFreezes } from "../freezes.ts"
import { endOf, type Moment } from "./moments.ts"
import { type RegisterQuestion, readRegisterAt, registerPage } from "./register-at.ts"
import { holdersAt, type OfToken } from "./register-rows.ts"

const standing = z.object({ status: z.enum(standings).nullable(), at: timestamp.nullable() })

/** The register for the dashboard: with the verifications of the holders at its moment. */
export const registerView = registerPage.extend({
  data: z.array(
    registerPage.shape.data.element.extend({
      /** How many of the row's wallets were not verified at the moment. */
      unverified: z.number().int(),
      /** The wallet of the row, also of an investor who held the token in one; null if there are several. */
      wallet: wallet.nullable(),
      /** How that wallet stood. */
      standing: standing.nullable(),
      /** Freezes that still bind and began before the moment. Lifted ones are only in the audit log. */
      freezes: shownFreezes,
    }),
  ),
  required_schema: z.string(),
})
type View = z.infer<typeof registerView>

/** Errors: those of `readRegisterAt`. */
export async function viewRegister(principal: Principal, question: RegisterQuestion): Promise<View> {
  const { workspaceId } = principal
  const { mintConfig } = question
  const page = await readRegisterAt(principal, question)
  const { required_schema } = await readConfig(workspaceId, mintConfig, "mint_config")
  const { slot, time } = page.as_of
  // The slot of a register by time is only information.
  const isBySlot = question.at !== null && "slot" in question.at
  const moment: Moment = { slot: isBySlot ? slot : null, time: new Date(time) }
  const wallets = await walletsIn({ workspaceId, mintConfig, moment }, page.data)
  const all = [...wallets.values()].flat()
  const [standingOf, freezesOf] = await Promise.all([
    readStandings(sql, workspaceId, { schemaId: required_schema, wallets: all, at: endOf(moment) }),
    loadFreezes(sql, workspaceId, all),
  ])
  return {
    ...page,
    data: page.data.map((row) => {
      const own = wallets.get(row.user_pubkey ?? row.investor_id!) ?? []
      const freezes = own.flatMap((wallet) => toShownFreezes(freezesOf({ config: mintConfig, wallet })))
      const only = own.length === 1 ? own[0]! : null
      return {
        ...row,
        wallet: only,
        unverified: own.filter((wallet) => standingOf.get(wallet)?.status !== "verified").length,
        standing: only && shownStanding(standingOf.get(only)),
        freezes: freezes.filter(({ since }) => since <= time),
      }
    }),
    required_schema,
  }
}

type RegisterRows = z.infer<typeof registerPage>["data"]

/** The wallets of each row that held the token, by the investor or the wallet of the row. */
async function walletsIn(of: OfToken, rows: RegisterRows): Promise<Map<string, Address[]>> {
  const alone = rows.flatMap(({ user_pubkey }) => (user_pubkey === null ? [] : [user_pubkey as Address]))
  const investors = rows.flatMap(({ user_pubkey, investor_id }) =>
    user_pubkey === null && investor_id !== null ? [investor_id] : [],
  )
  const { workspaceId } = of
  const and = sql`and wallet in (
    select a.wallet from attestations a where a.workspace_id = ${workspaceId} and a.investor_id = any(${investors}))`
  const owned =
    investors.length === 0
      ? []
      : await sql<{ wallet: Address; investor_id: string }[]>`
          select w.wallet, o.investor_id
          from (${holdersAt(of, { and, most: null })}) w cross join lateral wallet_owner(${workspaceId}, w.wallet) o
          where o.investor_id = any(${investors})`
  const byInvestor = Map.groupBy(owned, ({ investor_id }) => investor_id)
  return new Map([
    ...alone.map((wallet): [string, Address[]] => [wallet, [wallet]]),
    ...[...byInvestor].map(([id, own]): [string, Address[]] => [id, own.map(({ wallet }) => wallet)]),
  ])
}
