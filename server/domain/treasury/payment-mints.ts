import { deployment } from "#domain/deployment"
import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import {
  accountsOfPaymentMint,
  isPausedMint,
  type ReadPaymentMint,
  readPaymentMint,
} from "#server/solana/payment-mint.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import { TEST_DOLLAR } from "#server/solana/test-dollar.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"

/**
 * The mints that the deployment allows a mode to pay with, in the order of the setting. Without one, test mode on the
 * embedded local network pays with test dollars.
 */
export const allowedMints = (mode: Mode): readonly Address[] =>
  configuredMints(mode) ?? (mode === "test" && deployment.chains.test?.embedded ? [TEST_DOLLAR] : [])

function configuredMints(mode: Mode): readonly Address[] | undefined {
  const { settings } = deployment
  const own = mode === "live" ? settings.VOUCH_LIVE_PAYMENT_MINTS : settings.VOUCH_TEST_PAYMENT_MINTS
  return own ?? settings.VOUCH_PAYMENT_MINTS
}

export type SeenMint = { address: Address; read: ReadPaymentMint; isPaused: boolean }

/** Payment mints as they are on chain, in the order of the addresses. */
export async function readPaymentMints(
  rpc: Rpc,
  mints: readonly Address[],
  { since }: { since: number },
): Promise<SeenMint[]> {
  const { value } = await rpc.accounts(mints.flatMap(accountsOfPaymentMint), { since })
  return mints.map((address, i) => {
    const [info, metadata] = [value[2 * i], value[2 * i + 1]]
    const read = readPaymentMint(address, info, metadata)
    return { address, read, isPaused: info ? isPausedMint(address, info) : false }
  })
}

/** What `checkPaymentMints` found last, by mode. */
const found = new Map<Mode, readonly string[]>()

/** What is wrong with the payment mints of a mode, in a few words; null if nothing is known to be. */
export const paymentMintTrouble = (mode: Mode): string | null => found.get(mode)?.join("; ") || null

/** Reads the payment mints of chains again, for the health report. A chain that does not answer keeps its last result. */
export async function checkPaymentMints(chains: readonly Chain[]): Promise<void> {
  for (const chain of chains) {
    try {
      found.set(chain.mode, await refusedMints(chain))
    } catch (error) {
      logger.debug({ err: error, mode: chain.mode }, "could not read the payment mints")
    }
  }
}

/** Mints in the settings that a mode cannot pay with, with the reason. */
export async function refusedMints({ mode, rpc }: Pick<Chain, "mode" | "rpc">): Promise<string[]> {
  const mints = configuredMints(mode) ?? []
  if (mints.length === 0) return []
  const seen = await readPaymentMints(rpc.patient, mints, { since: 0 })
  return seen.flatMap(({ address, read }) =>
    "refused" in read ? [`payments in ${address} are refused: ${read.refused}`] : [],
  )
}
