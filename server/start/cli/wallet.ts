import type { Command } from "commander"
import { findAccount } from "#server/domain/accounts/create.ts"
import { eraseWallet } from "#server/domain/attestations/erase.ts"
import type { Mode } from "#shared/mode.ts"
import { inWorkspace, noAccount, walletAddress } from "./arguments.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch wallet …`: what is known of investors. */
export function addWalletCommands(program: Command, run: Run): void {
  const wallet = program.command("wallet").description("manage investors' data")

  inWorkspace(wallet.command("erase"))
    .description(
      "erase all data about the person behind a wallet whose attestations have all ended; cannot be undone",
    )
    .argument("<address>", "the wallet address, base58", walletAddress)
    .action((address: string, options: { account: string; mode: Mode }) =>
      run(async () => {
        const owner = await findAccount(options.account)
        if (!owner) throw noAccount(options.account)
        const outcome = await eraseWallet({ workspaceId: owner.workspaces[options.mode], wallet: address })
        if ("standing" in outcome) {
          const { attestationId, status } = outcome.standing
          throw new CommandError(
            `Nothing was erased: ${attestationId} of ${address} is ${status}. Revoke it first, or wait until it ends.`,
          )
        }
        return {
          json: { wallet: address, attestations_erased: outcome.erased },
          text:
            outcome.erased === 0
              ? `Nothing to erase for ${address}.`
              : `Erased all data about the person behind ${address} (attestations: ${outcome.erased}).`,
        }
      }),
    )
}
