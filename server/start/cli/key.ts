import type { Command } from "commander"
import { createKey, listKeys, type PlanName, revokeKey, rotateKey } from "#domain/accounts"
import { AccountExists, createAccount, findAccount } from "#domain/onboarding"
import { Failure } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { allScopes, type Scope } from "#shared/scopes.ts"
import * as args from "./arguments.ts"
import { chosenAccount, noAccount } from "./chosen-account.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch key …`: API keys. */
export function addKeyCommands(program: Command, run: Run): void {
  const key = program.command("key").description("API keys")

  key
    .command("create")
    .description("create an API key; it is shown only once")
    .option("--account <name>", "the account's name; not needed if there is only one", args.nonEmpty)
    .option("--create", "create the account if it does not exist")
    .addOption(args.modeOption().makeOptionMandatory())
    .addOption(args.planOption().default("free", "free, if the account is new"))
    .option("--name <name>", "where the key is used", args.readableName, "Created from the command line")
    .option("--scopes <scopes>", "separated by commas or spaces (default: all)", args.parseScopes)
    .option("--expires <time>", "when it stops working: an ISO 8601 time, or days such as 90d", args.parseExpiry)
    .action(
      (options: {
        account?: string
        create?: true
        mode: Mode
        plan: PlanName
        name: string
        scopes?: Scope[]
        expires?: args.Expiry
      }) =>
        run(async () => {
          const expiresAt = options.expires?.() ?? null
          const owner = await ownerOf(options)
          const workspaceId = owner.workspaces[options.mode]
          const created = await createKey({
            workspaceId,
            mode: options.mode,
            name: options.name,
            scopes: options.scopes ?? allScopes,
            expiresAt,
          })
          return {
            json: { api_key: created.apiKey, key_id: created.keyId, workspace_id: workspaceId, account_id: owner.id },
            text: `${created.apiKey}\n\nKey ${created.keyId} of ${owner.name} (${options.mode}). Store it: it is shown only now.`,
          }
        }),
    )

  key
    .command("list")
    .description("list API keys, without their secrets")
    .option("--account <name>", "only keys of one account", args.nonEmpty)
    .action((options: { account?: string }) =>
      run(async () => {
        if (options.account !== undefined && !(await findAccount(options.account)))
          throw await noAccount(options.account)
        const keys = await listKeys({ account: options.account ?? null })
        return {
          json: { data: keys },
          table: keys.map((one) => ({
            key_id: one.key_id,
            account: one.account,
            mode: one.mode,
            name: one.name,
            start: `${one.start}…`,
            status: one.status,
            last_used: one.last_used_at ?? "never",
            expires: one.expires_at ?? "never",
          })),
        }
      }),
    )

  key
    .command("revoke")
    .description("revoke an API key; it stops working within five seconds")
    .argument("<key_id>")
    .action((keyId: string) =>
      run(async () => {
        await existing(keyId, () => revokeKey({ keyId, workspaceId: null }))
        return { json: { key_id: keyId, status: "revoked" }, text: `Revoked ${keyId}.` }
      }),
    )

  key
    .command("rotate")
    .description("give a key a new secret; its id and idempotency keys stay the same")
    .argument("<key_id>")
    .option("--grace <time>", "how long the old secret keeps working: 30s, 15m, 24h, 7d", args.parseDuration, 24 * 3600)
    .action((keyId: string, { grace }: { grace: number }) =>
      run(async () => {
        const rotate = () => rotateKey({ keyId, workspaceId: null, graceSeconds: grace })
        const apiKey = await existing(keyId, rotate)
        return {
          json: { api_key: apiKey, key_id: keyId, grace_seconds: grace },
          text: `${apiKey}\n\nThe new secret of ${keyId}, shown only now. The old secret works for another ${grace} s.`,
        }
      }),
    )
}

/** Accounts are only created on request, so that a mistyped name does not create a second one. */
async function ownerOf({ account: name, create, plan }: { account?: string; create?: true; plan: PlanName }) {
  if (!create) return chosenAccount(name)
  if (name === undefined) throw new CommandError("--account: give the name of the account to create.")
  const known = await findAccount(name)
  if (known) return known
  const problem = args.problemOfName(name)
  if (problem !== null) throw new CommandError(`--account: the name of a new account ${problem}.`)
  try {
    return await createAccount({ name, plan })
  } catch (error) {
    // Another process created it at this moment.
    if (error instanceof AccountExists) return (await findAccount(name))!
    throw error
  }
}

/** Changes a key, or reports that it does not exist or was revoked. */
async function existing<T>(keyId: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof Failure && error.code === "key_not_found")) throw error
    throw new CommandError(`No active key has the id ${keyId}. List keys with "vouch key list".`)
  }
}
