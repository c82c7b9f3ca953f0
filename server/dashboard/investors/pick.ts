import { z } from "zod"
import { sql } from "#db/client.ts"
import { readStandings, shownStanding } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { schemaId } from "#domain/schemas"
import { configId, readConfig, recipientRefusals } from "#domain/tokens"
import { plainText } from "#server/lib/text.ts"
import { clock } from "#server/lib/time.ts"
import { readWalletParts } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { searchInvestors } from "./search.ts"

/** `q` is as in the search of investors. The statuses are for a token, or for a schema without one. */
export const pickInput = z.union([
  z.object({ q: plainText(200), mint_config: configId }),
  z.object({ q: plainText(200), schema: schemaId }),
])
type PickInput = z.infer<typeof pickInput>

/** The most wallets to choose from. With more, the member types more of the name. */
export const MOST_PICKS = 8

/**
 * Wallets to choose from in a form, with the person and the status of each. Wallets that the text itself names come
 * first. Errors: mint_config_not_found.
 */
export async function pickWallets(principal: Principal, { q, ...of }: PickInput) {
  const { workspaceId } = principal
  const config = "mint_config" in of ? await readConfig(workspaceId, of.mint_config, "mint_config") : null
  const schema = "schema" in of ? of.schema : config!.required_schema
  const { data, next_cursor } = await searchInvestors(principal, { q })
  const all = data.flatMap(({ wallets, investor_id, external_id }) =>
    wallets.map((wallet) => ({ wallet, investor_id, external_id })),
  )
  const isNamed = namedBy(q)
  const found = [...all.filter(({ wallet }) => isNamed(wallet)), ...all.filter(({ wallet }) => !isNamed(wallet))]
  const shown = found.slice(0, MOST_PICKS)
  const wallets = shown.map(({ wallet }) => wallet)
  const at = clock.now()
  const [standings, refusals] = await Promise.all([
    readStandings(sql, workspaceId, { schemaId: schema, wallets, at }),
    config && recipientRefusals(sql, workspaceId, config.id, wallets),
  ])
  return {
    data: shown.map(({ wallet, investor_id, external_id }) => ({
      user_pubkey: wallet,
      investor_id,
      external_id,
      ...shownStanding(standings.get(wallet)),
      /** The rule that keeps the wallet from receiving the token now, by its code. */
      refusal: refusals?.get(wallet)?.code ?? null,
    })),
    has_more: found.length > shown.length || next_cursor !== null,
  }
}

/** Whether a text is a wallet, its start, its end, or both. */
function namedBy(q: string): (wallet: Address) => boolean {
  const parts = readWalletParts(q)
  if (parts === null) return (wallet) => wallet === q
  if ("either" in parts) return (wallet) => wallet.startsWith(parts.either) || wallet.endsWith(parts.either)
  return (wallet) => wallet.startsWith(parts.start) && wallet.endsWith(parts.end)
}
