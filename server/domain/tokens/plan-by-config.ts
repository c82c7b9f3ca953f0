import type { Queryable } from "#db/client.ts"
import { assetMintOf } from "#domain/token-accounts"
import type { Issuer, Operation, Plan } from "#server/ledger/index.ts"
import type { Asset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { type ConfigRow, loadConfigs } from "./config.ts"

/** A configuration's token on chain, and the keys that act on it. */
export const assetOf = (
  { workspaceId, authority, feePayer }: Issuer,
  { id, decimals, authority: address }: ConfigRow,
): Asset => ({
  mint: assetMintOf(workspaceId, id),
  authority: authority(address).publicKey,
  feePayer: feePayer.publicKey,
  decimals,
})

/** Plans operations that depend only on their configuration. */
export async function planByConfig<O extends Operation<{ mint_config: string }>>(
  sql: Queryable,
  operations: readonly O[],
  issuer: Issuer,
  planOf: (operation: O, about: { config: ConfigRow; asset: Asset; memoText: string }) => Plan,
): Promise<Map<string, Plan>> {
  const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
  return new Map(
    operations.map((operation) => {
      const { id, payload } = operation
      const config = configs.get(payload.mint_config)!
      return [id, planOf(operation, { config, asset: assetOf(issuer, config), memoText: operationMemo(id) })]
    }),
  )
}

export const configIdsOf = (operations: readonly { payload: { mint_config: string } }[]): string[] => [
  ...new Set(operations.map(({ payload }) => payload.mint_config)),
]
