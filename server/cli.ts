import "./quiet-imports.ts"
import { Command, InvalidArgumentError, Option } from "commander"
import { sql } from "#db/client.ts"
import { AccountExists, createAccount, findAccount } from "./accounts/create.ts"
import { listAccounts, setPlan } from "./accounts/list.ts"
import { type Plan, plans } from "./accounts/plans.ts"
import { eraseWallet } from "./attestations/erase.ts"
import { auditLedger } from "./audit/audit.ts"
import { addMintConfigCommands } from "./cli/mint-config.ts"
import { CommandError, type Output, withDeployment } from "./cli/run.ts"
import { addUserCommands } from "./cli/user.ts"
import type { Mode } from "./env.ts"
import { Failure } from "./errors.ts"
import { createKey } from "./keys/create.ts"
import { listKeys } from "./keys/list.ts"
import { revokeKey, rotateKey } from "./keys/manage.ts"
import { allScopes, isScope, type Scope } from "./keys/scopes.ts"
import { isWalletAddress } from "./solana/addresses.ts"
import { nameText } from "./text.ts"
import { addSeconds, clock } from "./time.ts"
import { createInvitation } from "./users/invitations.ts"
import { version } from "./version.ts"

const MAX_NAME = 200

const planOption = () => new Option("--plan <plan>", "free, growth or enterprise").choices(Object.keys(plans))
const modeOption = () => new Option("--mode <mode>", "live or test").choices(["live", "test"])

const program = new Command("vouch")
  .description("Steers a Vouch deployment. Works while the server runs, and while it does not.")
  .version(version)
  .option("--json", "print JSON, for machines")
  .showHelpAfterError("(add --help to see what it takes)")
  .configureHelp({ showGlobalOptions: true })

const account = program.command("account").description("customers")
const key = program.command("key").description("API keys")
const wallet = program.command("wallet").description("what is known of investors")
const ledger = program.command("ledger").description("the chain and the database, compared")

account
  .command("create")
  .description("create a customer with a live and a test workspace")
  .requiredOption("--name <name>", "its name", readableName)
  .addOption(planOption().makeOptionMandatory())
  .option(
    "--quota <n>",
    "attestations per month, for the enterprise plan (without it: no limit)",
    wholeNumber,
  )
  .option(
    "--owner <email>",
    "whom to make its owner in the dashboard: prints a link for that person",
    emailAddress,
  )
  .action((options: { name: string; plan: Plan; quota?: number; owner?: string }) =>
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
        ? `\n\n${invitation.link}\n\nMakes ${options.owner} its owner, once, within seven days. It is shown this once.`
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
  .description("put a customer on another plan; what is used stays used")
  .requiredOption("--name <name>", "its name", nonEmpty)
  .addOption(planOption().makeOptionMandatory())
  .option(
    "--quota <n>",
    "attestations per month, for the enterprise plan (without it: no limit)",
    wholeNumber,
  )
  .action(({ name, plan, quota }: { name: string; plan: Plan; quota?: number }) =>
    run(async () => {
      checkQuota({ plan, ...(quota === undefined ? {} : { quota }) })
      if (!(await setPlan(name, plan, quota ?? null))) throw noAccount(name)
      return { json: { name, plan }, text: `${name} is on the ${plan} plan now.` }
    }),
  )

key
  .command("create")
  .description("create an API key; it is shown once")
  .requiredOption("--account <name>", "the customer, created if missing", nonEmpty)
  .addOption(modeOption().makeOptionMandatory())
  .addOption(planOption().default("free", "free, for a customer that is created"))
  .option("--name <name>", "a name to recognise the key by", readableName, "Created from the command line")
  .option("--scopes <scopes>", "separated by commas or spaces (default: all)", parseScopes)
  .option("--expires <time>", "when it stops working: an ISO 8601 time, or days such as 90d", parseExpiry)
  .action(
    (options: {
      account: string
      mode: Mode
      plan: Plan
      name: string
      scopes?: Scope[]
      expires?: Expiry
    }) =>
      run(async () => {
        const expiresAt = options.expires?.() ?? null
        const owner = await findOrCreateAccount(options.account, options.plan)
        const workspaceId = owner.workspaces[options.mode]
        const created = await createKey({
          workspaceId,
          mode: options.mode,
          name: options.name,
          scopes: options.scopes ?? allScopes,
          expiresAt,
        })
        return {
          json: {
            api_key: created.apiKey,
            key_id: created.keyId,
            workspace_id: workspaceId,
            account_id: owner.id,
          },
          text: `${created.apiKey}\n\nKey ${created.keyId} of ${owner.name} (${options.mode}). It is shown this once: keep it.`,
        }
      }),
  )

key
  .command("list")
  .description("list API keys, without their secrets")
  .option("--account <name>", "only those of one customer", nonEmpty)
  .action((options: { account?: string }) =>
    run(async () => {
      if (options.account !== undefined && !(await findAccount(options.account)))
        throw noAccount(options.account)
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
  .description("end an API key; every replica refuses it within five seconds")
  .argument("<key_id>")
  .action((keyId: string) =>
    run(async () => {
      await existing(keyId, () => revokeKey({ keyId, workspaceId: null }))
      return { json: { key_id: keyId, status: "revoked" }, text: `${keyId} is revoked.` }
    }),
  )

key
  .command("rotate")
  .description("give a key a new secret; its id, and with it idempotency, stays")
  .argument("<key_id>")
  .option(
    "--grace <time>",
    "how long the old secret goes on working: 30s, 15m, 24h, 7d",
    parseDuration,
    24 * 3600,
  )
  .action((keyId: string, { grace }: { grace: number }) =>
    run(async () => {
      const rotate = () => rotateKey({ keyId, workspaceId: null, graceSeconds: grace })
      const apiKey = await existing(keyId, rotate)
      return {
        json: { api_key: apiKey, key_id: keyId, grace_seconds: grace },
        text: `${apiKey}\n\nThe new secret of ${keyId}, shown this once. The old one works for ${grace} s more.`,
      }
    }),
  )

addUserCommands(program, { run, emailAddress })
addMintConfigCommands(program, { run, inWorkspace })

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

ledger
  .command("audit")
  .description("compare the chain with the database; exit 1 when they differ")
  .option("--account <name>", "only one customer", nonEmpty)
  .action((options: { account?: string }) =>
    run(
      async () => {
        const report = await auditLedger({
          account: options.account ?? null,
          progress: (text) => console.error(text),
        })
        const { differences, information, checked } = report
        const lines = differences.map((one) => `${one.kind}: ${one.detail}`)
        const summary = `${checked.credentials} credentials, ${checked.holdings} holdings, ${checked.operations} operations and ${checked.transactions} transactions compared: ${differences.length === 0 ? "no difference." : `${differences.length} differences.`}`
        return {
          json: { ok: differences.length === 0, checked, differences, information },
          text: [...lines, ...information.map((one) => `note: ${one}`), summary].join("\n"),
          exitCode: differences.length === 0 ? 0 : 1,
        }
      },
      { needsChain: true },
    ),
  )

/** Adds the options that name a workspace. */
function inWorkspace(command: Command): Command {
  return command
    .requiredOption("--account <name>", "the customer", nonEmpty)
    .addOption(modeOption().makeOptionMandatory())
}

async function run(work: () => Promise<Output>, { needsChain = false } = {}): Promise<void> {
  process.exitCode = await withDeployment(work, {
    needsChain,
    json: program.opts<{ json?: boolean }>().json ?? false,
  })
}

async function findOrCreateAccount(name: string, plan: Plan) {
  const known = await findAccount(name)
  if (known) return known
  const problem = problemOfName(name)
  if (problem !== null) throw new CommandError(`--account: The name of a new customer ${problem}.`)
  try {
    return await createAccount({ name, plan })
  } catch (error) {
    // Created by somebody else in this instant: then it is there.
    if (error instanceof AccountExists) return (await findAccount(name))!
    throw error
  }
}

const noAccount = (name: string) =>
  new CommandError(`There is no account named ${JSON.stringify(name)}. "vouch account list" shows them.`)

/** Does something to a key, or says that it does not exist or was revoked. */
async function existing<T>(keyId: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof Failure && error.code === "key_not_found")) throw error
    throw new CommandError(`There is no working key ${keyId}. "vouch key list" shows them.`)
  }
}

function checkQuota({ plan, quota }: { plan: Plan; quota?: number }): void {
  if (quota !== undefined && plan !== "enterprise") {
    throw new CommandError(
      `--quota belongs to the enterprise plan; ${plan} includes ${plans[plan]} attestations.`,
    )
  }
}

function nonEmpty(value: string): string {
  if (value.trim() === "" || value.length > MAX_NAME)
    throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME} characters.`)
  return value
}

/** What is wrong with a name that something is to get, or null. */
const problemOfName = (name: string): string | null =>
  nameText(MAX_NAME).safeParse(name).error?.issues[0]?.message ?? null

function readableName(value: string): string {
  const problem = problemOfName(value)
  if (problem !== null) throw new InvalidArgumentError(`It ${problem}.`)
  return value
}

function walletAddress(value: string): string {
  if (!isWalletAddress(value)) throw new InvalidArgumentError("It must be a wallet's base58 address.")
  return value
}

function emailAddress(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254)
    throw new InvalidArgumentError("It must be an email address.")
  return value.toLowerCase()
}

function wholeNumber(value: string): number {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number.")
  return Number(value)
}

function parseScopes(value: string): Scope[] {
  const names = value.split(/[\s,]+/).filter((name) => name !== "")
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined || names.length === 0) {
    throw new InvalidArgumentError(
      `${unknown ?? "Nothing"} is not a scope. There are: ${allScopes.join(", ")}.`,
    )
  }
  return [...new Set(names)] as Scope[]
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Seconds of `30s`, `15m`, `24h`, `7d`, or of a plain number. */
function parseDuration(value: string): number {
  const [, amount, unit = "s"] = /^([0-9]{1,7})([smhd])?$/.exec(value) ?? []
  if (amount === undefined) throw new InvalidArgumentError("It must be a time such as 30s, 15m, 24h or 7d.")
  return Number(amount) * UNITS[unit as keyof typeof UNITS]
}

/** Known once the database is connected, by whose clock it is. */
type Expiry = () => Date

function parseExpiry(value: string): Expiry {
  if (/^[0-9]+[smhd]$/.test(value)) {
    const seconds = parseDuration(value)
    if (seconds === 0) throw new InvalidArgumentError("It must lie in the future.")
    return () => addSeconds(clock.now(), seconds)
  }
  const expiry = /^\d{4}-\d{2}-\d{2}/.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(expiry.getTime()))
    throw new InvalidArgumentError("It must be a time such as 2027-01-31T00:00:00Z or 90d.")
  return () => {
    if (expiry <= clock.now()) throw new CommandError("--expires must lie in the future.")
    return expiry
  }
}

// 1 is the audit's, for a difference.
const USAGE = 2
for (const command of [program, ...program.commands.flatMap((noun) => [noun, ...noun.commands])]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE))
}
await program.parseAsync()
