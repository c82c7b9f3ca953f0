import type { Command } from "commander"
import { findAccount } from "#server/domain/accounts/create.ts"
import { eraseWallet } from "#server/domain/attestations/erase.ts"
import type { Mode } from "#shared/mode.ts"
import { inWorkspace, noAccount, walletAddress } from "./arguments.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch wallet …`: what is known of investors. */
export function addWalletCommands(program: Command, run: Run): void {
  const wallet = program.command("wallet").description("what is known of investors")

  inWorkspace(wallet.command("erase"))
    .description(
      "erase what is known of the person behind a wallet whose attestations have all ended; there is no way back",
    )
    .argument("<address>", "the wallet, base58", walletAddress)
    .action((address: string, options: { account: string; mode: Mode }) =>
      run(async () => {
        const owner = await findAccount(options.account)
        if (!owner) throw noAccount(options.account)
        const outcome = await eraseWallet({ workspaceId: owner.workspaces[options.mode], wallet: address })
        if ("standing" in outcome) {
          const { attestationId, status } = outcome.standing
          throw new CommandError(
            `Nothing was erased: ${attestationId} of ${address} is ${status}. Revoke it first, or wait for its end.`,
          )
        }
        return {
          json: { wallet: address, attestations_erased: outcome.erased },
          text:
            outcome.erased === 0
              ? `There was nothing to erase of ${address}.`
              : `Erased what was known of the person behind ${address} (attestations: ${outcome.erased}).`,
        }
      }),
    )
}
