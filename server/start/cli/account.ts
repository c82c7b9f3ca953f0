import type { Command } from "commander"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/accounts/create.ts"
import { listAccounts, setPlan } from "#server/domain/accounts/list.ts"
import { type PlanName, plans } from "#server/domain/accounts/plans.ts"
import { createInvitation } from "#server/domain/people/invitations.ts"
import { emailAddress, noAccount, nonEmpty, planOption, readableName, wholeNumber } from "./arguments.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch account …`: customers. */
export function addAccountCommands(program: Command, run: Run): void {
  const account = program.command("account").description("customers")

  account
    .command("create")
    .description("create a customer with a live and a test workspace")
    .requiredOption("--name <name>", "the customer's name", readableName)
    .addOption(planOption().makeOptionMandatory())
    .option(
      "--quota <n>",
      "attestations per month, for the enterprise plan (without it: no limit)",
      wholeNumber,
    )
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
            : await createInvitation(sql, {
                accountId: id,
                role: "owner",
                email: options.owner,
                invitedBy: null,
              })
        const link = invitation
          ? `\n\n${invitation.link}\n\nWith this link ${options.owner} becomes the owner. It works once, for seven days, and is shown only now.`
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
    .description("list customers")
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
    .description("change a customer's plan; usage of this month still counts")
    .requiredOption("--name <name>", "the customer's name", nonEmpty)
    .addOption(planOption().makeOptionMandatory())
    .option(
      "--quota <n>",
      "attestations per month, for the enterprise plan (without it: no limit)",
      wholeNumber,
    )
    .action(({ name, plan, quota }: { name: string; plan: PlanName; quota?: number }) =>
      run(async () => {
        checkQuota({ plan, ...(quota === undefined ? {} : { quota }) })
        if (!(await setPlan(name, plan, quota ?? null))) throw noAccount(name)
        return { json: { name, plan }, text: `${name} is now on the ${plan} plan.` }
      }),
    )
}

function checkQuota({ plan, quota }: { plan: PlanName; quota?: number }): void {
  if (quota !== undefined && plan !== "enterprise") {
    throw new CommandError(
      `--quota: only for the enterprise plan; ${plan} includes ${plans[plan]} attestations.`,
    )
  }
}
