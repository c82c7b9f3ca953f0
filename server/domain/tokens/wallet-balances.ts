import { z } from "zod"
import { sql } from "#db/client.ts"
import { chainOf } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { address, amountText, named, wallet } from "#server/lib/fields.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { readAllAccountsNow } from "./account-states.ts"
import { type ConfigRow, configColumns } from "./config.ts"
import { loadFreezes, toWalletFreeze, walletFreeze } from "./freezes.ts"
import type { HoldingKey } from "./holder-facts.ts"
import { availability, readAvailability } from "./holds/available.ts"

export const walletBalances = z
  .object({
    user_pubkey: wallet,
    slot: z.number().int().nullable().meta({
      description: "The slot as of which the chain was read; null if the workspace has no token on chain",
      example: 285412093,
    }),
    data: z.array(
      z
        .object({
          mint_config: named.meta({ description: "Mint configuration", example: "us_real_estate_fund_v1" }),
          mint: address.meta({
            description: "Address of the Token-2022 mint",
            example: "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh",
          }),
          amount: amountText.meta({ example: "749.5" }),
          ...availability,
          frozen: z.boolean().meta({ description: "Whether the token account is frozen", example: true }),
          wallet_freeze: walletFreeze,
        })
        .meta({ id: "TokenBalance" }),
    ),
  })
  .meta({ id: "WalletBalances" })
type WalletBalances = z.infer<typeof walletBalances>

/** Errors: chain_unavailable. */
export const readBalances = (at: { workspaceId: string; rpc: Rpc }, keys: readonly HoldingKey[]) =>
  readAllAccountsNow(sql, at, keys).catch((cause) =>
    fail("chain_unavailable", "The chain is unreachable. Retry in a moment.", { cause }),
  )

/** The wallet's tokens on chain now, newest first. Errors: chain_not_configured, chain_unavailable. */
export async function readWalletBalances({ workspaceId, mode }: Principal, wallet: Address): Promise<WalletBalances> {
  const chain = chainOf(mode)
  const configs = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} and minted_at is not null
    order by created_at desc, id`
  if (configs.length === 0) return { user_pubkey: wallet, slot: null, data: [] }
  const keys = configs.map(({ id }) => ({ config: id, wallet }))
  const { slot, accounts } = await readBalances({ workspaceId, rpc: chain.rpc.patient }, keys)
  const freezesOf = await loadFreezes(sql, workspaceId, [wallet])
  const available = await readAvailability(
    sql,
    workspaceId,
    keys.map((key, i) => ({ key, config: configs[i]!, account: accounts[i]! })),
  )
  const data = configs.flatMap(({ id, mint, decimals }, i) => {
    const { state, amount, held } = accounts[i]!
    if (state === "absent" && held === 0n) return []
    const wallet_freeze = toWalletFreeze(freezesOf(keys[i]!))
    const whole = fromBaseUnits(amount + held, decimals)
    return [
      { mint_config: id, mint: mint!, amount: whole, ...available[i]!, frozen: state !== "thawed", wallet_freeze },
    ]
  })
  return { user_pubkey: wallet, slot, data }
}
