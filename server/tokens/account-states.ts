import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { type AccountInfo, PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import type { Issuer } from "#server/ledger/kinds.ts"
import type { Operation } from "#server/ledger/operation.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import type { AccountState } from "#server/solana/asset.ts"
import { assetMintOf } from "./asset-mint.ts"
import type { ConfigRow } from "./config.ts"
import type { Place } from "./parties.ts"

/** Accounts that one call of `getMultipleAccounts` reads. */
const READ_AT_ONCE = 100
// Layout of a token account (spl-token: AccountLayout): amount at 64, state at 108.
const AMOUNT_OFFSET = 64
const STATE_OFFSET = 108
const FROZEN = 2

const nameOf = ({ config, wallet }: Place) => `${config}/${wallet}`

/**
 * What state the accounts of operations are in, before them. In agent mode every account is frozen at rest, and one
 * with a balance cannot be closed: nothing needs to be asked. Holders open and close theirs as they like, and whatever
 * was not as expected once is read from the chain.
 */
export async function readAccountStates(
  sql: Queryable,
  issuer: Issuer,
  operations: readonly Operation[],
  configOf: (operation: Operation) => ConfigRow,
): Promise<(place: Place) => AccountState> {
  const states = new Map<string, AccountState>()
  const known: Place[] = []
  const asked: Place[] = []
  for (const operation of operations) {
    const config = configOf(operation)
    const isKnown =
      config.transfer_mode === "agent" && config.aligned_up_to === null && operation.attempts === 0
    const wallets =
      operation.from_wallet === null ? [operation.wallet!] : [operation.from_wallet, operation.wallet!]
    for (const wallet of wallets) (isKnown ? known : asked).push({ config: config.id, wallet })
  }
  if (known.length > 0) {
    const rows = await sql<{ mint_config: string; wallet: string }[]>`
      select distinct h.mint_config, h.wallet
      from holdings h join unnest(${known.map((one) => one.config)}::text[], ${known.map((one) => one.wallet)}::text[])
        as t(config, wallet) on h.mint_config = t.config and h.wallet = t.wallet
      where h.workspace_id = ${issuer.workspaceId} and h.balance > 0`
    for (const row of rows) states.set(nameOf({ config: row.mint_config, wallet: row.wallet }), "frozen")
  }
  for (const [place, account] of await readAccounts(issuer, asked)) states.set(nameOf(place), account.state)
  return (place) => states.get(nameOf(place)) ?? "absent"
}

export type AssetAccount = { state: AccountState; amount: bigint }

/** Wallets' accounts of configurations, as they are on chain. */
export async function readAccounts(
  { workspaceId, chain }: Pick<Issuer, "workspaceId" | "chain">,
  places: readonly Place[],
): Promise<[Place, AssetAccount][]> {
  const read: [Place, AssetAccount][] = []
  for (let from = 0; from < places.length; from += READ_AT_ONCE) {
    const some = places.slice(from, from + READ_AT_ONCE)
    const addresses = some.map(({ config, wallet }) =>
      tokenAccountOf(assetMintOf(workspaceId, config), new PublicKey(wallet)),
    )
    const accounts = await chain.connection.getMultipleAccountsInfo(addresses, "confirmed")
    for (const [i, place] of some.entries()) read.push([place, parseAccount(accounts[i] ?? null)])
  }
  return read
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
