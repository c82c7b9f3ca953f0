import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { sessionStateAt, shownStatusAt } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { schemaId } from "#domain/schemas"
import { configId, readConfig, recipientRefusals } from "#domain/tokens"
import { plainText } from "#server/lib/text.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { readWalletParts } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { ShownStatus } from "#shared/statuses.ts"
import { searchInvestors } from "./search.ts"

/** `q` is as in the search of investors. The statuses are for a token, or for a schema without one. */
export const pickInput = z.union([
  z.object({ q: plainText(200), mint_config: configId }),
  z.object({ q: plainText(200), schema: schemaId }),
])
type PickInput = z.infer<typeof pickInput>

/** The most wallets to choose from. With more, the member types more of the name. */
export const MOST_PICKS = 8

const stateColumns = columns(
  "attestations",
  "wallet, status, open_until, issued_at, expires_at, verified_at, revoked_at, ended_at, event_decision",
)
type StateRow = RowOf<typeof stateColumns>

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
  const now = clock.now()
  const [states, refusals] = await Promise.all([
    sql<StateRow[]>`
      select distinct on (wallet) ${sql(stateColumns)} from attestations
      where workspace_id = ${workspaceId} and schema_id = ${schema} and wallet = any(${wallets})
      order by wallet, (status = 'verified' and expires_at > ${now}) desc, seq desc`,
    config && recipientRefusals(sql, workspaceId, config.id, wallets),
  ])
  const stateOf = new Map(states.map((row) => [row.wallet, row]))
  return {
    data: shown.map(({ wallet, investor_id, external_id }) => ({
      user_pubkey: wallet,
      investor_id,
      external_id,
      ...standingOf(stateOf.get(wallet), now),
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

type Standing = {
  /** Its status for the schema; null if it was never verified for it. */
  status: ShownStatus | "in_review" | null
  /** Until when it is verified, or since when it no longer is. */
  at: string | null
}

function standingOf(row: StateRow | undefined, now: Date): Standing {
  if (row === undefined) return { status: null, at: null }
  const status = shownStatusAt(row, now)
  if (status === "pending") {
    return { status: sessionStateAt(row, now) === "in_review" ? "in_review" : "pending", at: null }
  }
  if (status === "verified") return { status, at: toTimestamp(row.expires_at!) }
  const { ended_at, expires_at, open_until, revoked_at } = row
  const due = row.verified_at ? expires_at : (open_until ?? expires_at)
  const at = revoked_at ?? (ended_at && due && ended_at > due ? due : (ended_at ?? due))
  return { status, at: at && toTimestamp(at) }
}
