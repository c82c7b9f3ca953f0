import { type Command, InvalidArgumentError } from "commander"
import { sql } from "#db/client.ts"
import { listAccounts, type PlanName, plans, setBudget, setPlan } from "#domain/accounts"
import { createAccount } from "#domain/onboarding"
import { createInvitation } from "#domain/people"
import { solOf, toLamports } from "#shared/amount.ts"
import type { Mode } from "#shared/mode.ts"
import { accountName, emailAddress, modeOption, nonEmpty, planOption, wholeNumber } from "./arguments.ts"
import { noAccount } from "./chosen-account.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch account …`: companies that use Vouch. */
export function addAccountCommands(program: Command, run: Run): void {
  const account = program.command("account").description("accounts: the companies that use this server")

  account
    .command("create")
    .description("create an account with a live and a test workspace")
    .requiredOption("--name <name>", "the account's name", accountName)
    .addOption(planOption().makeOptionMandatory())
    .option("--quota <n>", "attestations per month, for the enterprise plan (default: no limit)", wholeNumber)
    .option(
      "--owner <email>",
      "email of the owner: prints a link for that person to sign in to the dashboard",
      emailAddress,
    )
    .action((options: { name: string; plan: PlanName; quota?: number; owner?: string }) =>
      run(async () => {
        checkQuota(options)
        const { id, name, workspaces } = await createAccount({ ...options, quota: options.quota ?? null })
        const invitation =
          options.owner === undefined
            ? null
            : await createInvitation(sql, { accountId: id, role: "owner", email: options.owner, invitedBy: null })
        const link = invitation
          ? `\n\n${invitation.link}\n\n${options.owner} becomes the owner by opening this link. It works once within seven days and is shown only now.`
          : ""
        return {
          json: {
            account_id: id,
            name,
            plan: options.plan,
            workspaces,
            ...(invitation && { owner_link: invitation.link }),
          },
          text: `Created ${name} (${id}) on the ${options.plan} plan.${link}`,
        }
      }),
    )

  account
    .command("list")
    .description("list accounts")
    .action(() =>
      run(async () => {
        const accounts = await listAccounts()
        return {
          json: { data: accounts },
          table: accounts.map((one) => ({
            name: one.name,
            plan: one.plan,
            included: one.included ?? "no limit",
            account_id: one.account_id,
            created: one.created_at,
          })),
        }
      }),
    )

  account
    .command("set-plan")
    .description("change an account's plan; this month's usage still counts")
    .requiredOption("--name <name>", "the account's name", nonEmpty)
    .addOption(planOption().makeOptionMandatory())
    .option("--quota <n>", "attestations per month, for the enterprise plan (default: no limit)", wholeNumber)
    .action(({ name, plan, quota }: { name: string; plan: PlanName; quota?: number }) =>
      run(async () => {
        checkQuota({ plan, ...(quota === undefined ? {} : { quota }) })
        if (!(await setPlan(name, plan, quota ?? null))) throw await noAccount(name)
        return { json: { name, plan }, text: `${name} is now on the ${plan} plan.` }
      }),
    )

  account
    .command("set-budget")
    .description("limit the monthly cost of an account's transactions; without --sol, remove the limit")
    .requiredOption("--name <name>", "the account's name", nonEmpty)
    .addOption(modeOption().makeOptionMandatory())
    .option("--sol <amount>", "SOL per calendar month (UTC), fees and rent together", readSol)
    .action(({ name, mode, sol }: { name: string; mode: Mode; sol?: bigint }) =>
      run(async () => {
        if (!(await setBudget(name, mode, sol ?? null))) throw await noAccount(name)
        const budget = sol === undefined ? null : sol.toString()
        const said = budget === null ? "no limit" : `${solOf(budget)} SOL a month`
        return { json: { name, mode, budget_lamports: budget }, text: `${name} (${mode}) now has ${said}.` }
      }),
    )
}

/** Lamports of an amount in SOL, such as `1.5`. */
function readSol(text: string): bigint {
  const lamports = toLamports(text)
  if (lamports === null) throw new InvalidArgumentError("Use an amount of SOL, such as 1.5.")
  return lamports
}

function checkQuota({ plan, quota }: { plan: PlanName; quota?: number }): void {
  if (quota !== undefined && plan !== "enterprise") {
    throw new CommandError(`--quota: only for the enterprise plan; ${plan} includes ${plans[plan]} attestations.`)
  }
}
