import { listAccounts } from "#domain/accounts"
import { type Account, findAccount } from "#domain/onboarding"
import { CommandError } from "./run.ts"

/** The account with that name, or the only account if no name is given. Otherwise the error lists the accounts. */
export async function chosenAccount(name: string | undefined): Promise<Account> {
  const names = name === undefined ? (await listAccounts()).map((one) => one.name) : [name]
  const account = names.length === 1 ? await findAccount(names[0]!) : null
  if (account) return account
  throw name === undefined ? await severalAccounts(names) : await noAccount(name)
}

export const noAccount = async (name: string): Promise<CommandError> =>
  new CommandError(`--account: no account is named ${JSON.stringify(name)}. ${await existing()}`)

const severalAccounts = async (names: string[]): Promise<CommandError> =>
  new CommandError(`--account: ${names.length === 0 ? "" : "say which account. "}${await existing()}`)

async function existing(): Promise<string> {
  const names = (await listAccounts()).map((one) => JSON.stringify(one.name))
  if (names.length === 0) return 'There is no account yet. Create one with "vouch account create".'
  const more = names.length > 10 ? `, and ${names.length - 10} more` : ""
  return `Accounts: ${names.slice(0, 10).join(", ")}${more}.`
}
