import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { readFeePayer } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"

const FRESH_MS = 5000
/** The longest time that a page waits for the chain. */
const PATIENCE_MS = 1500

/** The fee payer of a workspace. */
export type Issuer = {
  fee_payer: string
  cluster: string
  /** Null while the chain does not answer. */
  sol: number | null
  /** Whether that is less than VOUCH_LOW_BALANCE_SOL. */
  low: boolean
}

type Balance = { sol: Promise<number | null> }

/** The most fee payers whose balance is cached. */
const MOST_KNOWN = 1000

const balances = new WeakMap<Chain, LRUCache<Address, Balance>>()

/** The workspace's fee payer with its balance, read at most every five seconds. Null without a chain. */
export async function readIssuer(workspaceId: string, mode: Mode): Promise<Issuer | null> {
  const chain = deployment.chains[mode]
  if (!chain) return null
  const own = await readFeePayer(sql, workspaceId)
  const feePayer = own?.address ?? addressOf(chain.feePayer.publicKey)
  const patience = new AbortController()
  const sol = await Promise.race([balanceOf(chain, feePayer), sleep(PATIENCE_MS, patience.signal).then(() => null)])
  patience.abort()
  return {
    fee_payer: feePayer,
    cluster: chain.identity?.cluster ?? "unknown",
    sol,
    low: sol !== null && sol < deployment.settings.VOUCH_LOW_BALANCE_SOL,
  }
}

function balanceOf(chain: Chain, feePayer: Address): Promise<number | null> {
  const ofChain = balances.get(chain) ?? new LRUCache({ max: MOST_KNOWN, ttl: FRESH_MS })
  balances.set(chain, ofChain)
  const known = ofChain.get(feePayer)
  if (known) return known.sol
  const sol = chain.rpc.patient.account(publicKeyOf(feePayer), { since: 0 }).then(
    ({ value }) => (value?.lamports ?? 0) / LAMPORTS_PER_SOL,
    (error) => {
      logger.debug({ err: error }, "could not read the fee payer's balance")
      return null
    },
  )
  ofChain.set(feePayer, { sol })
  return sol
}
