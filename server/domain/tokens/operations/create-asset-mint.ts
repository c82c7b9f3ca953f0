import { z } from "zod"
import { background } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { assetMintOf, assetMintPlace, mintEffects, recoverMintCreation } from "#domain/token-accounts"
import { askQuorum, defineOperation, type Lookup, type Operation, readFeePayer } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { createAssetMint as instructionsOf } from "#server/solana/asset.ts"
import { extensionsAddedBy, extensionsForNew } from "#server/solana/mint-extensions.ts"
import { transferModes } from "#shared/transfer-modes.ts"
import { configIdsOf, planByConfig } from "../plan-by-config.ts"

const payload = z.object({ mint_config: z.string() })
type Creation = Operation<z.output<typeof payload>>

export const createAssetMint = defineOperation({
  kind: "create_asset_mint",
  label: "Create token",
  isUrgent: false,
  payload,
  lookUp: chooseExtensions,

  plan: (sql, operations, issuer, chosen: true | null) =>
    planByConfig(sql, operations, issuer, ({ attempts }, { config, asset, memoText }) => {
      const { id, name, symbol, extensions } = config
      // After a failure they are chosen again: a node may have named an extension that the cluster does not have.
      if (extensions === null || (attempts > 0 && chosen === null)) return { do: "look up" }
      const { workspaceId, rentOf } = issuer
      const about = { place: assetMintPlace(workspaceId, id), id, name, symbol, extensions, memoText, rentOf }
      return { do: "send", instructions: instructionsOf(asset, about), signers: [deployment.mintBase] }
    }),

  async settle(sql, settled, workspaceId) {
    await sql`
      update mint_configs set minted_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = any(${configIdsOf(settled)})`
  },

  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  effects: (operations, at) =>
    mintEffects(
      operations.map(({ id, payload }) => ({ id, mint: assetMintOf(at.workspaceId, payload.mint_config) })),
      at,
    ),
  rebuild: null,
  async attach(sql, { payload: { mint_config }, workspaceId }, { message }) {
    const extensions = extensionsAddedBy(message, assetMintOf(workspaceId, mint_config))
    await sql`
      update mint_configs set extensions = ${extensions}, pausable = ${extensions.includes("pausable")}
      where workspace_id = ${workspaceId} and id = ${mint_config} and minted_at is null`
  },
  recover: (error, _operation, instruction) => recoverMintCreation(error, instruction),
})

/**
 * Records the extensions that mints get. The operation is locked and still queued, so they stay what its transaction
 * was signed with.
 */
async function chooseExtensions(operations: Creation[], { workspaceId, chain }: Lookup): Promise<true> {
  const own = await readFeePayer(background, workspaceId)
  const payer = own ? publicKeyOf(own.address) : chain.feePayer.publicKey
  const [first, second = first] = await askQuorum(chain.rpc, (view) => view.knowsPermissionedBurn(payer))
  if (first === null || first !== second)
    throw new Error("The nodes do not say whether Token-2022 has PermissionedBurn.")
  const [ofAgent, ofHolder] = transferModes.map((mode) => extensionsForNew(mode, { permissioned_burn: first! }))
  await background`
    with waiting as (
      select mint_config from operations
      where workspace_id = ${workspaceId} and id = any(${operations.map(({ id }) => id)}) and status = 'queued' for update
    )
    update mint_configs c
    set pausable = true, extensions = case c.transfer_mode when 'holder' then ${ofHolder!}::text[] else ${ofAgent!}::text[] end
    from waiting w where c.workspace_id = ${workspaceId} and c.id = w.mint_config`
  return true
}
