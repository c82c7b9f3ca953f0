import { readFileSync } from "node:fs"
import type { Command } from "commander"
import { readHealth } from "#domain/health"
import type { Principal } from "#domain/requests"
import { applyConfig, type ConfigInput, configInput, getConfig, readReconcileProgress, setPaused } from "#domain/tokens"
import { plainJson, readJson } from "#server/lib/json.ts"
import { sleep } from "#server/lib/time.ts"
import { failureOf, sentenceOf } from "#server/lib/validation.ts"
import type { Mode } from "#shared/mode.ts"
import { allScopes } from "#shared/scopes.ts"
import { inWorkspace } from "./arguments.ts"
import { chosenAccount } from "./chosen-account.ts"
import { CommandError, type Run } from "./run.ts"

type Options = { account?: string; mode: Mode }
const LOOK_EVERY_MS = 500

/** Adds `mint-config apply|pause|unpause` to the command line. `inWorkspace` adds the options that name a workspace. */
export function addMintConfigCommands(program: Command, run: Run): void {
  const mintConfig = program.command("mint-config").description("tokens and their rules")

  inWorkspace(
    mintConfig
      .command("apply")
      .description("create or change a mint configuration from a JSON file")
      .argument("<file>", "JSON file with the body of POST /mint-configs"),
  ).action((file: string, options: Options) =>
    run(
      async () => {
        const config = readConfigFile(file)
        const principal = await principalOf(options)
        const { outcome, reconciles } = await applyConfig({ principal, requestId: null }, config)
        const isDone = await followTo(principal, config.id, outcome === "created" || reconciles)
        const record = await getConfig(principal, config.id)
        const { waits } = await readReconcileProgress(principal.workspaceId, config.id)
        const server = " The server does the rest. Start it if it is not running."
        const later = isDone ? "" : waits ? " Its holds follow once you unpause it." : server
        return { json: { outcome, done: isDone, ...record }, text: `${config.id}: ${outcome}.${later}` }
      },
      { needsChain: true },
    ),
  )

  for (const verb of ["pause", "unpause"] as const) {
    inWorkspace(
      mintConfig
        .command(verb)
        .description(verb === "pause" ? "stop minting and transfers" : "resume minting and transfers")
        .argument("<id>", "the configuration's id"),
    ).action((id: string, options: Options) =>
      run(async () => {
        const principal = await principalOf(options)
        const paused = verb === "pause"
        const record = await setPaused({ principal, requestId: null, idempotency: null, id, paused })
        return { json: record, text: `${id} is ${paused ? "paused" : "unpaused"}.` }
      }),
    )
  }
}

async function principalOf({ account, mode }: Options): Promise<Principal> {
  const owner = await chosenAccount(account)
  const scopes = new Set(allScopes)
  return { workspaceId: owner.workspaces[mode], mode, scopes, via: { kind: "operator" } }
}

function readConfigFile(file: string): ConfigInput {
  let value: unknown
  try {
    value = plainJson(readJson(readFileSync(file)))
  } catch (error) {
    throw new CommandError(`${file}: cannot be read as JSON: ${(error as Error).message}`)
  }
  const { data, error } = configInput.strict().safeParse(value, { error: sentenceOf })
  if (error) throw new CommandError(`${file}: ${failureOf(error).message}`)
  return data
}

/** Shows the progress on chain. The server does the work, if one runs. Returns whether everything is done. */
async function followTo(principal: Principal, id: string, follows: boolean): Promise<boolean> {
  if (!follows) return true
  let shown = -1
  for (;;) {
    const { accounts, remaining, waits } = await readReconcileProgress(principal.workspaceId, id)
    if (waits) return false
    const { mint } = await getConfig(principal, id)
    if (remaining === 0 && mint !== null) return true
    if ((await readHealth()).checks.worker !== "ok") return false
    if (remaining !== shown && remaining > 0)
      console.error(`${Math.max(0, accounts - remaining)} of ${accounts} accounts updated`)
    shown = remaining
    await sleep(LOOK_EVERY_MS)
  }
}
