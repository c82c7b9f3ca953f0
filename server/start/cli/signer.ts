import { type Command, Option } from "commander"
import { theOperator } from "#domain/audit-log"
import { readHealth } from "#domain/health"
import * as signers from "#domain/signers"
import { sleep } from "#server/lib/time.ts"
import { SignerFailure, WrongSigner } from "#server/solana/signers/definition.ts"
import { nonEmpty } from "./arguments.ts"
import { CommandError, type Run } from "./run.ts"

const LOOK_EVERY_MS = 500

/** `vouch signer …`: the keys that a deployment signs with. */
export function addSignerCommands(program: Command, run: Run): void {
  const signer = program.command("signer").description("keys that pay fees and issue tokens")

  signer
    .command("set")
    .description("give a workspace its own key for issuing or paying; run it again if it was interrupted")
    .argument("<workspace>", "its id", nonEmpty)
    .argument("<uri>", "the key's URI, such as aws-kms:… (docs/operations.md)")
    .addOption(
      new Option(
        "--role <role>",
        "authority: issues, and all mints move to it; fee-payer: pays for all new transactions",
      )
        .choices(["authority", "fee-payer"])
        .default("authority"),
    )
    .action((workspace: string, uri: string, { role }: { role: "authority" | "fee-payer" }) =>
      run(async () => {
        await stateOf(workspace)
        if (role === "fee-payer") return pay(workspace, uri)
        const state = await follow(workspace, () => setting(() => signers.setAuthority(workspace, uri, theOperator)))
        const { authority, mints, moved } = state
        const done = moved === mints
        const rest = `${mints - moved} of ${mints} mints still have to move. The server moves them. Start it if it is not running.`
        return {
          json: { done, ...state },
          text: `${workspace} issues with ${authority}. ${done ? `All ${mints} mints use it.` : rest}`,
        }
      }),
    )

  signer
    .command("unset")
    .description("make the mode's fee payer pay for a workspace again")
    .argument("<workspace>", "its id", nonEmpty)
    .action((workspace: string) =>
      run(async () => {
        await stateOf(workspace)
        return pay(workspace, null)
      }),
    )

  signer
    .command("show")
    .description("show the fee payers of each mode and their workspaces, or a workspace's authorities")
    .argument("[workspace]", "its id", nonEmpty)
    .action((workspace?: string) =>
      run(async () => {
        if (workspace === undefined) {
          const payers = await signers.readFeePayers()
          return {
            json: { fee_payers: payers },
            table: payers.map((one) => ({ ...one, workspace: one.workspace ?? "all others" })),
          }
        }
        const state = await stateOf(workspace)
        const payers = (await signers.readFeePayers()).filter((one) => one.workspace === workspace)
        return { json: { ...state, fee_payers: payers }, text: textOf(state, payers) }
      }),
    )
}

async function setting<T>(set: () => Promise<T>): Promise<T> {
  try {
    return await set()
  } catch (error) {
    if (error instanceof WrongSigner || error instanceof SignerFailure || error instanceof signers.EmptyFeePayer)
      throw new CommandError(`Nothing was changed: ${error.message}`)
    throw error
  }
}

async function pay(workspace: string, uri: string | null) {
  const address = await setting(() => signers.setFeePayer(workspace, uri, theOperator))
  return {
    json: { workspace, fee_payer: address },
    text: `From now on ${address ?? "the fee payer of its mode"} pays for ${workspace}.`,
  }
}

async function stateOf(workspace: string): Promise<signers.AuthorityState> {
  const state = await signers.readAuthority(workspace)
  if (!state) throw new CommandError(`No workspace has the id ${workspace}. "vouch account create" prints them.`)
  return state
}

/**
 * Shows the progress on chain until it is complete, then checks for mints that were added while it waited. The server
 * does the work, so the command may be interrupted. Without a running server it shows no progress.
 */
async function follow(workspace: string, set: () => Promise<unknown>): Promise<signers.AuthorityState> {
  await set()
  let shown = -1
  for (;;) {
    const state = await stateOf(workspace)
    if (state.moved !== shown) console.error(`${state.moved} of ${state.mints} mints moved`)
    shown = state.moved
    if (state.moved === state.mints) {
      await set()
      const after = await stateOf(workspace)
      if (after.moved === after.mints) return after
    }
    if ((await readHealth()).checks.worker !== "ok") return state
    await sleep(LOOK_EVERY_MS)
  }
}

const textOf = (
  { workspace, mode, account, authority, uri, mints, moved, earlier }: signers.AuthorityState,
  payers: readonly signers.FeePayer[],
): string =>
  [
    `${workspace}: ${account} (${mode})`,
    `issues with ${authority} (${uri})`,
    `${moved} of ${mints} mints use it`,
    ...earlier.map((one) => `before: ${one.address} (${one.uri})`),
    ...payers.map(
      ({ address, uri, pays, under_way }) =>
        `${pays === "now" ? "pays" : "paid before"}: ${address} (${uri}), ${under_way} transactions in progress`,
    ),
    ...(payers.some(({ pays }) => pays === "now") ? [] : [`paid for by the fee payer of ${mode}`]),
  ].join("\n")
