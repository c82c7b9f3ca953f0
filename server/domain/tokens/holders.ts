import type { Fragment } from "postgres"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { shownStatusAt } from "#domain/attestations"
import { deployment } from "#domain/deployment"
import { readNamed } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { storedAddress } from "#server/lib/fields.ts"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import { fromBaseUnits, shareOf } from "#shared/amount.ts"
import { shownStatuses } from "#shared/statuses.ts"
import { readAllAccountsNow } from "./account-states.ts"
import { readBars, shownBar } from "./bars.ts"
import { readConfig } from "./configs.ts"
import { loadFreezes, shownFreezes, toShownFreezes } from "./freezes.ts"
import type { HoldingKey } from "./holder-facts.ts"
import { availabilityIn, readHeld } from "./holds/available.ts"
import { fromPlace, placeAfter, readBooksSlot, toPlace } from "./register.ts"
import { readReopenings } from "./reopenings.ts"

const holder = z.object({
  wallet: storedAddress,
  /** Whole tokens in the books, and those in unfinished operations. */
  balance: z.string(),
  /** Share of the supply, from `shareOf`; null if there is none. */
  percent: z.string().nullable(),
  incoming: z.string(),
  outgoing: z.string(),
  /** What can be moved now, and what holds keep from moving. */
  available: z.string(),
  held: z.string(),
  /** Whether it takes one of the holder slots that max_holders counts. */
  counted: z.boolean(),
  /** Its status for the required schema now; null without an attestation. */
  verification: z.enum(shownStatuses).nullable(),
  attestation_id: z.string().nullable(),
  /** The wallet's owner; null if no session named one. */
  investor: z.object({ investor_id: z.string(), external_id: z.string().nullable() }).nullable(),
  /** State and balance of its token account on chain; null while the chain does not answer. */
  account: z.enum(["frozen", "open", "absent"]).nullable(),
  onchain_balance: z.string().nullable(),
  /** Since when and why the workspace has frozen the wallet for this token; null if it has not. */
  freezes: shownFreezes,
  bar: shownBar,
  /** How often its account was paid for again this month after the holder closed it, and the limit. */
  reopenings: z.object({ used: z.number().int(), limit: z.number().int() }),
})

export const holderList = z.object({
  data: z.array(holder),
  next_cursor: z.string().nullable(),
  /** Whole tokens minted, and the slot up to which everything that landed is in the books. */
  supply: z.string(),
  slot: z.number().int().nullable(),
  /** False if the chain did not answer or none is configured. */
  chain_answered: z.boolean(),
})
export type HolderList = z.infer<typeof holderList>

export type HolderFilter = {
  mintConfig: string
  /** Names people or wallets. */
  q: string | undefined
  limit: number
  cursor: string | null
}

const holdingColumns = columns("holdings", "wallet, balance, incoming, outgoing, counted")
const statusColumns = columns("attestations", "id, status, open_until, expires_at, revoked_at")
type StatusRow = Omit<RowOf<typeof statusColumns>, "id">
type Row = RowOf<typeof holdingColumns> & {
  [Column in keyof StatusRow]: StatusRow[Column] | null
} & { attestation_id: string | null; investor_id: string | null; external_id: string | null }

/**
 * Wallets that hold a token or are about to, the largest holders first. The frozen states of a page are read from the
 * chain in one call. Errors: mint_config_not_found, validation_failed for a cursor.
 */
export async function listHolders(
  { workspaceId, mode }: Principal,
  { mintConfig, q, limit, cursor }: HolderFilter,
): Promise<HolderList> {
  const after = cursor === null ? null : fromPlace("balance", cursor)
  const config = await readConfig(workspaceId, mintConfig)
  const now = clock.now()
  // Read before the balances, so that the balances include everything up to it.
  const slot = await readBooksSlot({ workspaceId, mode })
  const named = await readNamed(workspaceId, q)
  const isNamed = (wallet: Fragment) => (named === null ? sql`` : sql`and ${named.hasWallet(wallet)}`)
  const page = sql`order by balance desc, wallet limit ${limit + 1}`
  // Sorting by balance reads all holders: 70 ms for 200,000. Every mint and transfer would have to write an index on
  // the balance. If very many are named, each is checked after sorting, until the page is full.
  const largest = (only: Fragment, end: Fragment) => sql`
    select ${sql(holdingColumns)} from holdings
    where workspace_id = ${workspaceId} and mint_config = ${mintConfig}
      and (balance > 0 or incoming > 0 or outgoing > 0 or counted) ${only}
      ${after === null ? sql`` : placeAfter("balance", after)}
    ${end}`
  const found =
    named?.ids === null
      ? sql`
          select * from (${largest(sql``, sql`order by balance desc, wallet offset 0`)}) h
          where true ${isNamed(sql`h.wallet`)} ${page}`
      : largest(isNamed(sql`wallet`), page)
  const rows = await sql<Row[]>`
    select ${sql(qualified("h", holdingColumns))}, a.id as attestation_id, a.status, a.open_until, a.expires_at, a.revoked_at,
      o.investor_id, i.external_id
    from (
      ${found}
    ) h left join lateral (
      select ${sql(statusColumns)} from attestations
      where workspace_id = ${workspaceId} and wallet = h.wallet and schema_id = ${config.required_schema}
      order by (status = 'verified' and expires_at > ${now}) desc, seq desc limit 1
    ) a on true cross join lateral wallet_owner(${workspaceId}, h.wallet) o
    left join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id
    order by h.balance desc, h.wallet`
  const shown = rows.slice(0, limit)
  const keys = shown.map(({ wallet }) => ({ config: config.id, wallet }))
  const wallets = shown.map(({ wallet }) => wallet)
  const [accounts, reopenings, heldOf, freezesOf, barOf] = await Promise.all([
    readStates({ workspaceId, mode }, keys),
    readReopenings(sql, workspaceId, keys),
    readHeld(sql, workspaceId, keys),
    loadFreezes(sql, workspaceId, wallets),
    readBars(sql, workspaceId, wallets),
  ])
  const units = (amount: string | bigint) => fromBaseUnits(BigInt(amount), config.decimals)
  return {
    data: shown.map((row, i) => {
      const account = accounts?.[i] ?? null
      return {
        wallet: row.wallet,
        balance: units(row.balance),
        percent: shareOf(
          config.transfer_mode === "holder" && account ? account.amount + account.held : BigInt(row.balance),
          BigInt(config.supply),
        ),
        incoming: units(row.incoming),
        outgoing: units(row.outgoing),
        ...availabilityIn(config, {
          account,
          holding: { balance: BigInt(row.balance), outgoing: BigInt(row.outgoing) },
          held: heldOf(keys[i]!),
        }),
        counted: row.counted,
        verification: row.status && shownStatusAt({ ...row, status: row.status }, now),
        attestation_id: row.attestation_id,
        investor: row.investor_id === null ? null : { investor_id: row.investor_id, external_id: row.external_id },
        account: account && (account.state === "thawed" ? "open" : account.state),
        onchain_balance: account && units(account.amount + account.held),
        freezes: toShownFreezes(freezesOf(keys[i]!)),
        bar: barOf(row.wallet),
        reopenings: { used: reopenings[i]!, limit: deployment.settings.VOUCH_ACCOUNT_REOPENINGS },
      }
    }),
    next_cursor: rows.length > limit ? toPlace("balance", shown.at(-1)!) : null,
    supply: units(config.supply),
    slot,
    chain_answered: accounts !== null,
  }
}

/** The token accounts of wallets on chain; null if it does not answer or none is configured. */
export async function readStates(
  { workspaceId, mode }: Pick<Principal, "workspaceId" | "mode">,
  keys: readonly HoldingKey[],
) {
  const chain = deployment.chains[mode]
  if (!chain) return null
  try {
    return (await readAllAccountsNow(sql, { workspaceId, rpc: chain.rpc.patient }, keys)).accounts
  } catch (error) {
    logger.debug({ err: error }, "could not read holders' accounts from the chain")
    return null
  }
}
