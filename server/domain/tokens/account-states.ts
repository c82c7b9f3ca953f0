import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { type AccountInfo, PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { Lookup } from "#server/ledger/definition.ts"
import type { Operation } from "#server/ledger/operation.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import type { AccountState } from "#server/solana/asset.ts"
import { assetMintOf } from "./asset-accounts.ts"
import type { ConfigRow } from "./config.ts"
import type { Place } from "./parties.ts"

/** Accounts that one call of `getMultipleAccounts` reads. */
const READ_AT_ONCE = 100
// Layout of a token account (spl-token: AccountLayout): amount at 64, state at 108.
const AMOUNT_OFFSET = 64
const STATE_OFFSET = 108
const FROZEN = 2

const nameOf = ({ config, wallet }: Place) => `${config}/${wallet}`

export type AssetAccount = { state: AccountState; amount: bigint }

/** Accounts as they were on chain at a slot. */
export type SeenAccounts = { slot: number; accountOf: (place: Place) => AssetAccount | null }

/** The accounts that operations are about, as they are on chain. */
export const lookAtAccounts = async (
  operations: readonly Operation<OfHolders>[],
  at: Lookup,
): Promise<SeenAccounts> => {
  const { slot, accounts } = await readAccounts(at, operations.flatMap(holdersOf))
  const seen = new Map(accounts.map(([place, account]) => [nameOf(place), account]))
  return { slot, accountOf: (place) => seen.get(nameOf(place)) ?? null }
}

/** What is about accounts of a token: its receiver's, and that of who gives. */
export type OfHolders = { mint_config: string; wallet: string; from_wallet?: string }

export const holdersOf = ({ payload }: { payload: OfHolders }): Place[] => {
  const { mint_config, wallet, from_wallet } = payload
  const wallets = from_wallet === undefined ? [wallet] : [from_wallet, wallet]
  return wallets.map((wallet) => ({ config: mint_config, wallet }))
}

/**
 * What state the accounts of operations are in, before them; null where the chain has to be asked. In agent mode
 * every account is frozen at rest, and one with a balance cannot be closed: nothing needs to be asked. Holders open
 * and close theirs as they like, and whatever was not as expected once is read from the chain.
 */
export async function accountStates<Payload extends OfHolders>(
  sql: Queryable,
  workspaceId: string,
  {
    operations,
    configOf,
    seen,
  }: {
    operations: readonly Operation<Payload>[]
    configOf: (operation: Operation<Payload>) => ConfigRow
    seen: SeenAccounts | null
  },
): Promise<(place: Place) => AccountState | null> {
  const states = new Map<string, AccountState>()
  const known: Place[] = []
  const asked: Place[] = []
  for (const operation of operations) {
    const config = configOf(operation)
    const isKnown =
      config.transfer_mode === "agent" && config.aligned_up_to === null && operation.attempts === 0
    ;(isKnown ? known : asked).push(...holdersOf(operation))
  }
  if (known.length > 0) {
    for (const place of known) states.set(nameOf(place), "absent")
    const rows = await sql<{ mint_config: string; wallet: string }[]>`
      select distinct h.mint_config, h.wallet
      from holdings h join unnest(${known.map((one) => one.config)}::text[], ${known.map((one) => one.wallet)}::text[])
        as t(config, wallet) on h.mint_config = t.config and h.wallet = t.wallet
      where h.workspace_id = ${workspaceId} and h.balance > 0`
    for (const row of rows) states.set(nameOf({ config: row.mint_config, wallet: row.wallet }), "frozen")
  }
  const current = await stillHolds(sql, workspaceId, asked, seen)
  for (const place of asked) {
    const state = current?.accountOf(place)?.state
    if (state === undefined) states.delete(nameOf(place))
    else states.set(nameOf(place), state)
  }
  return (place) => states.get(nameOf(place)) ?? null
}

/**
 * What was seen, unless an operation has landed on one of the accounts later than that: behind one address stand many
 * nodes, and some lag. Operations that write an account land in their order, so that the last one tells.
 */
export async function stillHolds(
  sql: Queryable,
  workspaceId: string,
  places: readonly Place[],
  seen: SeenAccounts | null,
): Promise<SeenAccounts | null> {
  if (seen === null || places.length === 0) return seen
  const rows = await sql<{ slot: bigint | null }[]>`
    select max(t.slot) as slot
    from (select distinct * from unnest(${places.map((one) => one.config)}::text[], ${places.map((one) => one.wallet)}::text[])
        as t(config, wallet)) p,
      lateral (
        (select o.signature from operations o
          where o.workspace_id = ${workspaceId} and o.wallet = p.wallet and o.mint_config = p.config and o.status = 'confirmed'
          order by o.seq desc limit 1)
        union all
        (select o.signature from operations o
          where o.workspace_id = ${workspaceId} and o.from_wallet = p.wallet and o.mint_config = p.config
            and o.status = 'confirmed'
          order by o.seq desc limit 1)
      ) o join transactions t on t.signature = o.signature`
  const { slot } = only(rows)
  return slot !== null && Number(slot) > seen.slot ? null : seen
}

/** Wallets' accounts of configurations, as they are on chain, and the slot that all of it is true of at least. */
export async function readAccounts(
  { workspaceId, chain }: Lookup,
  places: readonly Place[],
): Promise<{ slot: number; accounts: [Place, AssetAccount][] }> {
  const accounts: [Place, AssetAccount][] = []
  let slot = Number.POSITIVE_INFINITY
  for (let from = 0; from < places.length; from += READ_AT_ONCE) {
    const some = places.slice(from, from + READ_AT_ONCE)
    const addresses = some.map(({ config, wallet }) =>
      tokenAccountOf(assetMintOf(workspaceId, config), new PublicKey(wallet)),
    )
    const { context, value } = await chain.connection.getMultipleAccountsInfoAndContext(
      addresses,
      "confirmed",
    )
    slot = Math.min(slot, context.slot)
    for (const [i, place] of some.entries()) accounts.push([place, parseAccount(value[i] ?? null)])
  }
  return { slot, accounts }
}

function parseAccount(account: AccountInfo<Buffer> | null): AssetAccount {
  if (!account?.owner.equals(TOKEN_2022_PROGRAM_ID) || account.data.length <= STATE_OFFSET) {
    return { state: "absent", amount: 0n }
  }
  return {
    state: account.data[STATE_OFFSET] === FROZEN ? "frozen" : "thawed",
    amount: account.data.readBigUInt64LE(AMOUNT_OFFSET),
  }
}
