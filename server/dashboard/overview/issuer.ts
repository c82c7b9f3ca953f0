import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { deployment } from "#server/domain/deployment.ts"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Mode } from "#shared/mode.ts"

const FRESH_MS = 5000
/** A page does not wait longer for a chain that is slow. */
const PATIENCE_MS = 1500

/** Who pays for what is issued in a mode. */
export type Issuer = {
  fee_payer: string
  cluster: string
  /** Null while the chain does not answer. */
  sol: number | null
  /** Whether that is less than VOUCH_LOW_BALANCE_SOL. */
  low: boolean
}

type Balance = { sol: Promise<number | null>; readAt: number }

const balances = new WeakMap<Chain, Balance>()

/** The fee payer of a mode with its balance, which is read from the chain every five seconds at most. Null without a chain. */
export async function readIssuer(mode: Mode): Promise<Issuer | null> {
  const chain = deployment.chains[mode]
  if (!chain) return null
  const patience = new AbortController()
  const sol = await Promise.race([balanceOf(chain), sleep(PATIENCE_MS, patience.signal).then(() => null)])
  patience.abort()
  return {
    fee_payer: chain.feePayer.publicKey.toBase58(),
    cluster: chain.bound?.cluster ?? "unknown",
    sol,
    low: sol !== null && sol < deployment.settings.VOUCH_LOW_BALANCE_SOL,
  }
}

function balanceOf(chain: Chain): Promise<number | null> {
  const known = balances.get(chain)
  if (known && performance.now() - known.readAt < FRESH_MS) return known.sol
  const sol = chain.connection.getBalance(chain.feePayer.publicKey, "confirmed").then(
    (lamports) => lamports / LAMPORTS_PER_SOL,
    (error) => {
      logger.debug({ err: error }, "could not read the fee payer's balance")
      return null
    },
  )
  balances.set(chain, { sol, readAt: performance.now() })
  return sol
}
