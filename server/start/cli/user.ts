import type { Command } from "commander"
import { admitByOperator, createResetLink, listUsers, releaseAddress, removeSecondFactor } from "#domain/people"
import { emailAddress, nonEmpty } from "./arguments.ts"
import { chosenAccount } from "./chosen-account.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch user …`: the people who sign in to the dashboard. */
export function addUserCommands(program: Command, run: Run): void {
  const user = program.command("user").description("people who sign in to the dashboard")

  user
    .command("list")
    .description("list the people who can sign in to the dashboard")
    .action(() =>
      run(async () => {
        const users = await listUsers()
        return {
          json: { data: users },
          table: users.map(({ email, name, confirmed, second_factor, memberships }) => ({
            email,
            name,
            confirmed: confirmed ? "yes" : "no",
            second_factor: second_factor ? "yes" : "no",
            accounts: memberships.map((one) => `${one.account} (${one.role})`).join(", ") || "none",
          })),
        }
      }),
    )

  user
    .command("reset")
    .description("print a one-time link to choose a new password, valid for one hour")
    .argument("<email>", "the person's email address", emailAddress)
    .option("--second-factor", "also switch off a lost second factor now")
    .action((email: string, { secondFactor = false }: { secondFactor?: boolean }) =>
      run(async () => {
        const link = await createResetLink(email)
        if (link === null)
          throw new CommandError(`No user has the address ${email}. List users with "vouch user list".`)
        if (secondFactor) await removeSecondFactor(email)
        return {
          json: { email, reset_link: link, second_factor_removed: secondFactor },
          text: `${link}\n\n${email} can choose a new password with this link, once, within an hour. Doing so signs them out everywhere and removes their passkeys and second factor.${secondFactor ? " The second factor is already off." : ""}`,
        }
      }),
    )

  user
    .command("release")
    .description("free an email address that was registered but never confirmed; removes that user")
    .argument("<email>", "the person's email address", emailAddress)
    .action((email: string) =>
      run(async () => {
        if (!(await releaseAddress(email)))
          throw new CommandError(
            `${email} is not registered, or is already confirmed. List users with "vouch user list".`,
          )
        return {
          json: { email, released: true },
          text: `${email} is free. The user who registered it was removed from all accounts.`,
        }
      }),
    )

  user
    .command("admit")
    .description("confirm a reviewer who joined while a policy is about reviews, if no other reviewer can")
    .argument("<email>", "the person's email address", emailAddress)
    .option("--account <name>", "the account's name; not needed if there is only one", nonEmpty)
    .action((email: string, { account: name }: { account?: string }) =>
      run(async () => {
        const account = await chosenAccount(name)
        if (!(await admitByOperator({ accountId: account.id, email })))
          throw new CommandError(
            `${email} is not waiting for confirmation in this account. List users with "vouch user list".`,
          )
        return { json: { email, admitted: true }, text: `${email} can now decide the account's reviews.` }
      }),
    )
}
