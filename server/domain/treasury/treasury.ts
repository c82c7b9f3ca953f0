import { z } from "zod"
import { sql } from "#db/client.ts"
import { chainOf } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { address, amountText } from "#server/lib/fields.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { MOST_CHARACTERS } from "#server/solana/payment-mint.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { readPayingKey } from "./keys.ts"
import { readAccount } from "./look-up.ts"
import { allowedMints, readPaymentMints, type SeenMint } from "./payment-mints.ts"
import { SHARED_TREASURY } from "./refusals.ts"

const balance = z
  .object({
    mint: address.meta({
      description: "Address of the payment mint",
      example: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v",
    }),
    name: z.string().nullable().meta({
      maxLength: MOST_CHARACTERS,
      description: "Its name, as its issuer wrote it on chain: anyone can give a token any name. Null without one",
      example: "USD Coin",
    }),
    symbol: z
      .string()
      .nullable()
      .meta({ maxLength: MOST_CHARACTERS, description: "Its symbol, likewise", example: "USDC" }),
    decimals: z.number().int().nullable().meta({ description: "Its decimals; null if it is refused", example: 6 }),
    token_account: address.nullable().meta({
      description: "The account to fund: the associated token account of the treasury's address. Null if it is refused",
      example: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
    }),
    balance: amountText.meta({
      description: "Whole tokens in that account. 0 if it does not exist yet",
      example: "125000.5",
    }),
    frozen: z.boolean().meta({ description: "Whether the token's issuer has frozen that account", example: false }),
    refused: z.string().nullable().meta({
      description: "Why Vouch does not pay with this mint, such as a transfer fee; null if it does",
      example: null,
    }),
  })
  .meta({ id: "TreasuryBalance" })

export const treasuryRecord = z
  .object({
    address: address.meta({
      description: "The key that pays for the workspace: its authority, which also owns the token accounts",
      example: "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh",
    }),
    balances: z
      .array(balance)
      .meta({ description: "One for each mint that the deployment pays with, in the order of its settings" }),
  })
  .meta({ id: "Treasury" })
type Treasury = z.infer<typeof treasuryRecord>

/**
 * What a workspace can pay with, read from the chain now. Errors: treasury_shared, chain_not_configured,
 * chain_unavailable.
 */
export async function readTreasury({ workspaceId, mode }: Principal): Promise<Treasury> {
  const chain = chainOf(mode)
  const { authority, isShared } = await readPayingKey(sql, workspaceId)
  if (isShared) fail("treasury_shared", SHARED_TREASURY)
  const mints = allowedMints(mode)
  const { slot: since } = chain.rpc.nodes
  const balances = await readBalances(chain.rpc.patient, { authority, mints, since }).catch((cause) =>
    fail("chain_unavailable", "The chain is unreachable. Retry in a moment.", { cause }),
  )
  return { address: authority, balances }
}

async function readBalances(
  rpc: Rpc,
  { authority, mints, since }: { authority: Address; mints: readonly Address[]; since: number },
): Promise<Treasury["balances"]> {
  if (mints.length === 0) return []
  const seen = await readPaymentMints(rpc, mints, { since })
  const accounts = seen.map(({ read }) =>
    "refused" in read ? null : tokenAccountOf(read.mint, publicKeyOf(authority), read.program),
  )
  const wanted = accounts.filter((account) => account !== null)
  const { value } = await rpc.accounts(wanted, { since })
  return seen.map((one, i) => {
    const account = accounts[i]!
    return toBalance(one, account, account === null ? null : value[wanted.indexOf(account)])
  })
}

function toBalance(
  { address: mint, read }: SeenMint,
  account: ReturnType<typeof tokenAccountOf> | null,
  info: Parameters<typeof readAccount>[1],
): Treasury["balances"][number] {
  if ("refused" in read || account === null) {
    const refused = "refused" in read ? read.refused : null
    return { mint, name: null, symbol: null, decimals: null, token_account: null, balance: "0", frozen: false, refused }
  }
  const { name, symbol, decimals } = read
  const found = readAccount(account, info, read)
  return {
    mint,
    name,
    symbol,
    decimals,
    token_account: addressOf(account),
    balance: fromBaseUnits(found?.amount ?? 0n, decimals),
    frozen: found?.isFrozen ?? false,
    refused: null,
  }
}
