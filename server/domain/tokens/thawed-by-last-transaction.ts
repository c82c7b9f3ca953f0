import { background as sql } from "#db/client.ts"
import { assetMintOf } from "#domain/token-accounts"
import type { Operation } from "#server/ledger/index.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { decodeInstructions } from "#server/solana/decode.ts"
import { messageIn } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"

/**
 * Operations whose wallet's account Vouch's last transaction left thawed, according to its stored bytes. Only Vouch can
 * freeze the account, and only an empty account can be closed.
 */
export async function thawedByLastTransaction(
  operations: readonly Operation<{ mint_config: string; wallet: Address }>[],
): Promise<ReadonlySet<string>> {
  const open = new Set<string>()
  for (const { id, workspaceId, payload } of operations) {
    const { mint_config, wallet } = payload
    const [last] = await sql<{ wire: Buffer | null }[]>`
      select t.wire from operations o join transactions t on t.signature = o.signature
      where o.workspace_id = ${workspaceId} and o.mint_config = ${mint_config} and o.status = 'confirmed'
        and (o.wallet = ${wallet} or o.from_wallet = ${wallet})
      order by t.slot desc limit 1`
    if (!last?.wire) continue
    const account = tokenAccountOf(assetMintOf(workspaceId, mint_config), publicKeyOf(wallet)).toBase58()
    const changes = decodeInstructions(messageIn(last.wire)).filter(
      ({ name, accounts }) => (name === "ThawAccount" || name === "FreezeAccount") && accounts[0]?.address === account,
    )
    if (changes.at(-1)?.name === "ThawAccount") open.add(id)
  }
  return open
}
