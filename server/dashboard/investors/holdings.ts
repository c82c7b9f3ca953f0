import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { readStates } from "#domain/tokens"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"

export type TokenHolding = {
  mint_config: string
  name: string
  symbol: string
  /** The sum of all wallets, in whole tokens. */
  total: string
  wallets: {
    user_pubkey: string
    balance: string
    /** Incoming tokens. */
    incoming: string
    outgoing: string
    /** State of its token account on chain. Null while the chain does not answer. */
    account: "frozen" | "open" | "absent" | null
  }[]
}

/** The most wallets to show. An investor has few. */
const MOST = 500

type Row = {
  id: string
  name: string
  symbol: string
  decimals: number
  transfer_mode: TransferMode
  wallet: Address
  balance: string
  incoming: string
  outgoing: string
}

/**
 * What wallets hold of each token, and the sum. From the database, or from the chain if holders move tokens themselves.
 */
export async function readHoldings(
  { workspaceId, mode }: Pick<Principal, "workspaceId" | "mode">,
  wallets: readonly Address[],
): Promise<{ tokens: TokenHolding[]; chain_answered: boolean }> {
  const rows = await sql<Row[]>`
    select c.id, c.name, c.symbol, c.decimals, c.transfer_mode, h.wallet, h.balance, h.incoming, h.outgoing
    from mint_configs c cross join unnest(${wallets as Address[]}::text[]) with ordinality as w(wallet, place)
    join holdings h on h.workspace_id = ${workspaceId} and h.mint_config = c.id and h.wallet = w.wallet
    where c.workspace_id = ${workspaceId}
      and (h.balance > 0 or h.incoming > 0 or h.outgoing > 0 or c.transfer_mode = 'holder')
    order by c.created_at desc, c.id, w.place limit ${MOST}`
  if (rows.length === 0) return { tokens: [], chain_answered: true }
  const accounts = await readStates(
    { workspaceId, mode },
    rows.map(({ id, wallet }) => ({ config: id, wallet })),
  )
  const held = rows.map((row, i) => {
    const account = accounts?.[i] ?? null
    const isByChain = row.transfer_mode === "holder" && account !== null
    return { ...row, account, units: isByChain ? account.amount : BigInt(row.balance) }
  })
  const tokens = [...Map.groupBy(held, (row) => row.id).values()].flatMap((all): TokenHolding[] => {
    const [{ id, name, symbol, decimals }] = all as [(typeof all)[number]]
    const units = (amount: string | bigint) => fromBaseUnits(BigInt(amount), decimals)
    const holding = all.filter((row) => row.units > 0n || row.incoming !== "0" || row.outgoing !== "0")
    if (holding.length === 0) return []
    return [
      {
        mint_config: id,
        name,
        symbol,
        total: units(holding.reduce((sum, row) => sum + row.units, 0n)),
        wallets: holding.map((row) => ({
          user_pubkey: row.wallet,
          balance: units(row.units),
          incoming: units(row.incoming),
          outgoing: units(row.outgoing),
          account: row.account && (row.account.state === "thawed" ? "open" : row.account.state),
        })),
      },
    ]
  })
  return { tokens, chain_answered: accounts !== null }
}
