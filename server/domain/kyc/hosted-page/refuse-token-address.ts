import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token"
import { deployment } from "#domain/deployment"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { SessionRow } from "./view.ts"

/** How long the investor waits for nodes. Without an answer in that time, the address is accepted. */
const WAIT_MS = 2000

/**
 * Refuses a token account or a mint instead of a wallet when the investor continues to the check, so that starting a
 * session does not wait for the chain. Refuses only if the nodes agree. Skips a proved wallet, because only a wallet
 * can sign. Errors: invalid_public_key.
 */
export async function refuseTokenAddress({ mode, wallet, wallet_proved_at }: SessionRow): Promise<void> {
  const chain = deployment.chains[mode]
  if (chain === null || wallet_proved_at !== null) return
  const giveUp = new Promise<boolean>((resolve) => {
    setTimeout(resolve, WAIT_MS, false).unref()
  })
  const answers = Promise.all(chain.rpc.patient.views.map((view) => isTokenAddress(view, wallet)))
  const isNoWallet = await Promise.race([giveUp, answers.then((all) => all.every(Boolean))])
  if (isNoWallet)
    fail(
      "invalid_public_key",
      `${wallet} is a token account or a mint, not a wallet. Start the verification with the address of the wallet that owns it.`,
    )
}

async function isTokenAddress(rpc: Rpc, wallet: Address): Promise<boolean> {
  try {
    const { value } = await rpc.account(publicKeyOf(wallet), { since: 0 })
    return value !== null && [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].some((one) => one.equals(value.owner))
  } catch {
    return false
  }
}
