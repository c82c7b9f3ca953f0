import type { Command } from "commander"
import { type Erased, eraseInvestor, eraseWallet, getErasure } from "#domain/privacy"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import { inWorkspace, walletAddress } from "./arguments.ts"
import { chosenAccount } from "./chosen-account.ts"
import { CommandError, type Output, type Run } from "./run.ts"

type Options = { account?: string; mode: Mode; revoke?: true }

/** `vouch wallet …` and `vouch investor …`: data about investors. */
export function addWalletCommands(program: Command, run: Run): void {
  const wallet = program.command("wallet").description("data about investors, by wallet")
  const investor = program.command("investor").description("data about investors, by person")

  erasing(wallet, "all data about the person behind a wallet")
    .argument("<address>", "the wallet address, base58", walletAddress)
    .action((address: Address, options: Options) =>
      run(async () => {
        const workspaceId = await workspaceOf(options)
        const outcome = await eraseWallet({ workspaceId, wallet: address, inForce: inForce(options) })
        return report({ workspaceId, outcome, who: { wallet: address }, name: address })
      }),
    )

  erasing(investor, "all data about an investor and their wallets")
    .argument("<id>", "the investor's id, inv_…")
    .action((id: string, options: Options) =>
      run(async () => {
        const workspaceId = await workspaceOf(options)
        const outcome = await eraseInvestor({ workspaceId, investorId: id, inForce: inForce(options) })
        if (outcome === null) throw new CommandError(`The ${options.mode} workspace has no investor with the id ${id}.`)
        return report({ workspaceId, outcome, who: { investor: id }, name: id })
      }),
    )
}

const erasing = (command: Command, what: string): Command =>
  inWorkspace(command.command("erase"))
    .description(`erase ${what}; cannot be undone`)
    .option("--revoke", "first revoke what is pending or verified and destroy its credential on chain")

const inForce = ({ revoke }: Options) => (revoke ? "end" : "refuse")

async function workspaceOf({ account, mode }: Options): Promise<string> {
  const owner = await chosenAccount(account)
  return owner.workspaces[mode]
}

async function report({
  workspaceId,
  outcome,
  who,
  name,
}: {
  workspaceId: string
  outcome: Erased
  who: Record<string, string>
  name: string
}): Promise<Output> {
  if ("current" in outcome) {
    const { attestationId, status } = outcome.current
    throw new CommandError(
      `Nothing was erased: ${attestationId} of ${name} is ${status}. Revoke it first, wait until it ends, or use --revoke.`,
    )
  }
  const { erased, erasureId } = outcome
  const { vendor_redactions } =
    erasureId === null ? { vendor_redactions: [] } : await getErasure(workspaceId, erasureId)
  const vendors = vendor_redactions.map(({ provider, status }) => ` ${provider}: ${status}.`).join("")
  return {
    json: { ...who, attestations_erased: erased, erasure_id: erasureId, vendor_redactions },
    text:
      erased === 0
        ? `Nothing to erase for ${name}.${vendors}`
        : `Erased all data about the person behind ${name} (attestations: ${erased}).${vendors}`,
  }
}
