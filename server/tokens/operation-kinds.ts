import { PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import {
  type OperationKind,
  type Plan,
  registerKind,
  type Settled,
  type Verdict,
} from "#server/ledger/kinds.ts"
import type { Operation, Refusal } from "#server/ledger/operation.ts"
import { type ProgramError, SystemError, TokenError } from "#server/ledger/program-error.ts"
import { createAssetMint, mintAsset, moveAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { judgeMintCreation } from "#server/solana/mint-account.ts"
import { clock } from "#server/time.ts"
import { accountStates, lookAtAccounts, placesOf, type SeenAccounts } from "./account-states.ts"
import { assetMintKey } from "./asset-mint.ts"
import { caseOf } from "./case.ts"
import { assetOf, type ConfigRow, configIdsOf, loadConfigs } from "./config.ts"
import { type Holding, type Holdings, loadClaims, lockHoldings, NOTHING } from "./parties.ts"
import { objectionToSigning } from "./rules.ts"

/** Creates a configuration's asset mint. */
const createMint: OperationKind = {
  async plan(sql, operations, issuer) {
    const { rentOf } = issuer
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    return new Map(
      operations.map((operation): [string, Plan] => {
        const config = configs.get(operation.mint_config!)!
        const instructions = createAssetMint(assetOf(issuer, config), {
          id: config.id,
          name: config.name,
          symbol: config.symbol,
          pausable: config.pausable,
          memoText: operationMemo(operation.id),
          rentOf,
        })
        return [
          operation.id,
          { do: "send", instructions, signers: [assetMintKey(issuer.workspaceId, config.id)] },
        ]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    await sql`
      update mint_configs set minted_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = any(${configIdsOf(settled.map((one) => one.operation))})`
  },

  judge: (error, _operation, instruction) => judgeMintCreation(error, instruction),
}

const walletsOf = ({ wallet, from_wallet }: Operation): string[] =>
  from_wallet === null ? [wallet!] : [from_wallet, wallet!]

const amountOf = (operation: Operation): bigint => BigInt(operation.payload.amount!)

/** Mints or moves tokens between accounts that the rules admit. Both kinds share everything but their instructions. */
const movement: OperationKind<SeenAccounts> = {
  look: lookAtAccounts,

  async plan(sql, operations, issuer, seen) {
    const now = clock.now()
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    const configOf = (operation: Operation) => configs.get(operation.mint_config!)!
    const standings = operations.flatMap((operation) =>
      walletsOf(operation).map((wallet) => ({ schemaId: configOf(operation).required_schema, wallet })),
    )
    const claims = await loadClaims(sql, issuer.workspaceId, standings, now)
    const states = await accountStates(sql, issuer.workspaceId, { operations, configOf, seen })
    return new Map(
      operations.map((operation): [string, Plan] => {
        const config = configOf(operation)
        const to = operation.wallet!
        const from = operation.from_wallet
        const amount = amountOf(operation)
        const objection = objectionToSigning(caseOf({ config, from, to, amount, now }, claims, () => NOTHING))
        if (objection) return [operation.id, { do: "fail", refusal: objection }]
        const stateOf = (wallet: string) => states({ config: config.id, wallet })
        const beforeTo = stateOf(to)
        const beforeFrom = from === null ? "absent" : stateOf(from)
        if (beforeTo === null || beforeFrom === null) return [operation.id, { do: "look" }]
        // Both sides have just been found verified: in holder mode that is what keeps an account open.
        const after = config.transfer_mode === "agent" ? "frozen" : "thawed"
        const asset = assetOf(issuer, config)
        const memoText = operationMemo(operation.id)
        if (from !== null && config.transfer_mode === "holder" && beforeFrom === "absent") {
          return [operation.id, { do: "fail", refusal: uncovered(from) }]
        }
        const instructions =
          from === null
            ? mintAsset(asset, { wallet: new PublicKey(to), amount, before: beforeTo, after, memoText })
            : moveAsset(asset, {
                from: new PublicKey(from),
                to: new PublicKey(to),
                amount,
                before: { from: beforeFrom, to: beforeTo },
                after: { from: after, to: after },
                memoText,
              })
        return [operation.id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    const operations = settled.map((one: Settled) => one.operation)
    await withCounters(sql, workspaceId, operations, (operation, config, holdings) => {
      const amount = amountOf(operation)
      const to = holdings.of({ config: config.id, wallet: operation.wallet! })
      to.incoming -= amount
      to.balance += amount
      if (operation.from_wallet === null) {
        config.supply = (BigInt(config.supply) + amount).toString()
        return
      }
      const from = holdings.of({ config: config.id, wallet: operation.from_wallet })
      from.outgoing -= amount
      from.balance -= amount
      if (operation.payload.handover) takePlace(to, config)
      leaveIfEmpty(from, config)
    })
  },

  async release(sql, operations) {
    const { workspace_id } = operations[0]!
    await withCounters(sql, workspace_id, operations, (operation, config, holdings) => {
      const amount = amountOf(operation)
      const to = holdings.of({ config: config.id, wallet: operation.wallet! })
      to.incoming -= amount
      if (operation.from_wallet === null) config.issued = (BigInt(config.issued) - amount).toString()
      else {
        const from = holdings.of({ config: config.id, wallet: operation.from_wallet })
        from.outgoing -= amount
        if (operation.payload.handover) takePlace(from, config)
      }
      leaveIfEmpty(to, config)
    })
  },

  judge: (error, operation, instruction) => judgeMovement(error, operation, instruction),
}

/** A place that travelled with an operation comes to rest. Where the wallet has got one meanwhile, one is left over. */
function takePlace(holding: Holding, config: ConfigRow): void {
  if (holding.counted) config.holders -= 1
  holding.counted = true
}

function leaveIfEmpty(holding: Holding, config: ConfigRow): void {
  if (!holding.counted || holding.balance > 0n || holding.incoming > 0n) return
  holding.counted = false
  config.holders -= 1
}

/** Changes counters and holdings under their locks, which are taken in the order that `admit` takes them in. */
async function withCounters(
  sql: Queryable,
  workspaceId: string,
  operations: readonly Operation[],
  change: (operation: Operation, config: ConfigRow, holdings: Holdings) => void,
): Promise<void> {
  const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: true })
  const holdings = await lockHoldings(sql, workspaceId, operations.flatMap(placesOf))
  for (const operation of operations) change(operation, configs.get(operation.mint_config!)!, holdings)
  await holdings.save(sql)
  for (const config of configs.values()) {
    await sql`
      update mint_configs set issued = ${config.issued}, supply = ${config.supply}, holders = ${config.holders}
      where workspace_id = ${workspaceId} and id = ${config.id}`
  }
}

const uncovered = (wallet: string): Refusal => ({
  code: "insufficient_balance",
  detail: `amount: ${wallet} holds less than that.`,
})

function judgeMovement(error: ProgramError, operation: Operation, instruction: number): Verdict {
  // The first instruction creates an account where there is none, and moves nothing in any other case.
  if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { verdict: "wait" }
  if (operation.kind === "transfer" && instruction > 0 && error.custom === TokenError.InsufficientFunds) {
    return { verdict: "fail", refusal: uncovered(operation.from_wallet!) }
  }
  // An account is not in the state that it was believed to be in: the next plan reads it from the chain.
  return { verdict: "retry" }
}

registerKind("create_asset_mint", createMint)
registerKind("mint", movement)
registerKind("transfer", movement)
