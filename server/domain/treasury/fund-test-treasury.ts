import { sql } from "#db/client.ts"
import { chainOf } from "#domain/deployment"
import { sleep } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { issueTestDollars, TEST_DOLLAR, TEST_DOLLAR_DECIMALS } from "#server/solana/test-dollar.ts"
import type { Address } from "#shared/address.ts"
import { limitsOf, toBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { readPayingKey } from "./keys.ts"

const PAUSE_MS = 50

/**
 * Puts test dollars into the treasury of a test workspace, in whole tokens, if the embedded local network runs. Returns
 * the treasury's address. Errors: chain_not_configured, invalid_amount.
 */
export async function fundTestTreasury(
  workspaceId: string,
  amount: string,
): Promise<{ treasury: Address; mint: Address }> {
  const { embedded, rpc } = chainOf("test")
  if (!embedded)
    fail("chain_not_configured", "Only the embedded local network has test dollars. Fund the treasury on your cluster.")
  const units = toBaseUnits(amount, TEST_DOLLAR_DECIMALS)
  if (units === null || units === 0n) fail("invalid_amount", `amount: ${limitsOf(TEST_DOLLAR_DECIMALS)}`)
  const { authority } = await readPayingKey(sql, workspaceId)
  await issueTestDollars(rpc, { owner: publicKeyOf(authority), amount: units, pause: () => sleep(PAUSE_MS) })
  return { treasury: authority, mint: TEST_DOLLAR }
}
