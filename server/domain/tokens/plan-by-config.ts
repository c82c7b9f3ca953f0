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
export async function planByConfig(
  sql: Queryable,
  operations: readonly Operation<{ mint_config: string }>[],
  issuer: Issuer,
  build: (config: ConfigRow, asset: Asset, memoText: string) => Omit<Extract<Plan, { do: "send" }>, "do">,
): Promise<Map<string, Plan>> {
  const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
  return new Map(
    operations.map(({ id, payload }): [string, Plan] => {
      const config = configs.get(payload.mint_config)!
      return [id, { do: "send", ...build(config, assetOf(issuer, config), operationMemo(id)) }]
    }),
  )
}

export const configIdsOf = (operations: readonly { payload: { mint_config: string } }[]): string[] => [
  ...new Set(operations.map(({ payload }) => payload.mint_config)),
]
