import type { Queryable } from "#db/client.ts"
import { vouch } from "#domain/audit-log"
import { loadListed } from "#domain/screening"
import type { Refusal } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { firstViolationAtSigning } from "#shared/rules/check.ts"
import { loadConfigs } from "./config.ts"
import { loadLosses, loadStandings, NOTHING } from "./holder-facts.ts"
import { Reservations } from "./reservations.ts"
import { transferContext } from "./transfer-context.ts"

// What distributions need of tokens: who may receive, and paying in new tokens.

/** Why wallets may not receive anything because of a token now: those that are frozen, barred, listed or not verified. */
export async function recipientRefusals(
  sql: Queryable,
  workspaceId: string,
  mintConfig: string,
  wallets: readonly Address[],
): Promise<Map<Address, Refusal>> {
  const now = clock.now()
  const config = (await loadConfigs(sql, workspaceId, [mintConfig], { lock: false })).get(mintConfig)!
  // A pause keeps the token from moving, and nothing else from being paid because of it.
  const unpaused = { ...config, paused: false }
  const wanted = wallets.map((wallet) => ({ schemaId: config.required_schema, wallet }))
  const standings = await loadStandings(sql, workspaceId, wanted, now)
  const isListed = await loadListed(sql, workspaceId, wallets)
  const unverified = wanted.filter((one) => standings.claims(one) === null)
  const becauseOf = await loadLosses(sql, workspaceId, unverified, now)
  return new Map(
    wallets.flatMap((wallet): [Address, Refusal][] => {
      const movement = { kind: "mint", from: null, to: wallet } as const
      const request = { config: unpaused, amount: 0n, now }
      const refusal = firstViolationAtSigning(
        transferContext(request, movement, standings, () => NOTHING, isListed, becauseOf),
      )
      return refusal === null ? [] : [[wallet, refusal]]
    }),
  )
}

type Minted = { payoutId: string; wallet: Address; amount: bigint }

/**
 * Queues a mint for each payout, in the caller's transaction, by the rules of every mint. Only the policy of the
 * distribution binds it. Publish `ledger` after the commit. Returns the operation or the refusal of each, in order. Errors:
 * chain_unavailable in quarantine.
 */
export async function mintPayouts(
  sql: Queryable,
  workspaceId: string,
  configId: string,
  payouts: readonly Minted[],
): Promise<({ operationId: string } | { refusal: Refusal })[]> {
  const { decimals } = (await loadConfigs(sql, workspaceId, [configId], { lock: true })).get(configId)!
  const requests = payouts.map(({ payoutId, wallet, amount }) => ({
    config: configId,
    movement: { kind: "mint" as const, from: null, to: wallet },
    forced: null,
    amount: fromBaseUnits(amount, decimals),
    payout: payoutId,
    idempotency: null,
    author: vouch,
    disclosure: { claims: false, attestations: true },
  }))
  const outcomes = await new Reservations(sql, workspaceId, requests).make()
  return outcomes.map((outcome) => {
    if ("operationId" in outcome) return { operationId: outcome.operationId }
    if ("refusal" in outcome) return { refusal: outcome.refusal }
    throw new Error("a payout's mint waits for something")
  })
}
