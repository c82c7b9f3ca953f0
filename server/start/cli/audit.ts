import { readFile } from "node:fs/promises"
import { type Command, InvalidArgumentError } from "commander"
import type { AuditAnchor, AuditAnswer, AuditBreak, AuditRange } from "#client/index.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { walletAddress } from "./arguments.ts"
import { CommandError, type Output } from "./run.ts"

/** Like `Run`, without a deployment: the command asks only a node of the chain. */
export type RunAlone = (work: () => Promise<Output>) => Promise<void>

type Options = { issuer: string[]; rpc: string; until?: Date; since?: Date }

/** `vouch audit …`: checks what the server says about itself. It needs neither the server nor its database. */
export function addAuditCommands(program: Command, run: RunAlone): void {
  const audit = program.command("audit").description("check an export of the audit log")

  audit
    .command("verify")
    .description("check an export of the audit log against the chain; exits 1 if it does not verify")
    .argument("<file>", "the CSV file, exported without filters other than dates")
    .requiredOption(
      "--issuer <address>",
      "the workspace's authority, from the issuer; several with commas if the key was replaced",
      addresses,
    )
    .requiredOption("--rpc <url>", "a node that you trust, with the history of that time")
    .option(
      "--until <date>",
      "the end of the time that the file should cover, as in its export: reports a file whose end was cut off. A day counts as a whole (UTC)",
      endOf,
    )
    .option("--since <date>", "the start of that time: reports a file that does not reach back to it", time)
    .action((file: string, { issuer, rpc, until, since }: Options) =>
      run(async () => {
        const csv = await readFile(file).catch((error: Error) => {
          throw new CommandError(`${file}: cannot be read. ${error.message}`)
        })
        // Loaded here, because no other command needs the client.
        const { verifyAuditLog } = await import("#client/index.ts")
        const answer = await verifyAuditLog(rpc, { issuer, csv, until, since }).catch((error) => {
          if (error instanceof TypeError) throw new CommandError(error.message)
          throw error
        })
        return { json: answer, text: textOf(answer), exitCode: answer.verified ? 0 : 1 }
      }),
    )
}

function addresses(value: string): string[] {
  const list = value.split(",").map((one) => one.trim())
  try {
    return list.map(walletAddress)
  } catch {
    throw new InvalidArgumentError("Use addresses in base58, with commas between them.")
  }
}

function time(value: string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("Use a date, such as 2026-12-02.")
  return date
}

const DAY_MS = 86_400_000

/** The time, or the end of a day without one: an export of that day has all of it. */
const endOf = (value: string): Date =>
  new Date(time(value).getTime() + (/^\d{4}-\d{2}-\d{2}$/.test(value) ? DAY_MS : 0))

function textOf(answer: AuditAnswer): string {
  const { verified, range, proven, unproven, unlinked, breaks, unprovenColumns, later } = answer
  const newest = Math.max(...proven.map(({ to }) => to), later?.place ?? 0)
  const lines = [
    range === null ? "The file has no entry with a place in the chain." : `The file has ${entries(range)}.`,
    ...proven.map(({ anchor, ...one }) => `proven: ${entries(one)}, by ${describe(anchor)}`),
    ...unproven.map(
      (one) => `not proven: ${entries(one)}, ${one.from > newest ? "newer than the last anchor" : NO_ANCHOR}`,
    ),
    ...(unlinked === 0 ? [] : [`not proven: ${unlinked} more, which have no place in the chain yet`]),
    ...(unprovenColumns.length === 0 ? [] : [`not proven: ${unprovenColumns.join(", ")}, which no hash covers`]),
    ...(later === null
      ? []
      : [`The log goes on after this file, at least to entry ${later.place}: ${describe(later)}`]),
    ...breaks.map((one) => `BREAK at ${entries(one)}: ${meanings[one.kind]}`),
  ]
  return [...lines, verified ? "Verified." : "Not verified."].join("\n")
}

const NO_ANCHOR = "because the file does not lead from them to an anchor"

const entries = ({ from, to }: AuditRange) => (from === to ? `entry ${from}` : `entries ${from} to ${to}`)

const describe = ({ place, transaction, at }: AuditAnchor) =>
  `the anchor of entry ${place}${at === null ? "" : ` of ${toTimestamp(new Date(at * 1000))}`} in ${transaction}`

const meanings: Record<AuditBreak["kind"], string> = {
  changed: "it was changed, or it does not follow the one before it",
  missing: "it is not in the file",
  repeated: "it is in the file twice",
  reordered: "it is not in its place in the file",
  cut_off: "the file ends here in the middle of a line",
  unplaced: "a row without a place is below it, and only the newest rows can have none",
  begins_late: "the file begins here, and nothing shows that it reaches back to --since",
  contradicted: "the issuer put another hash on chain for it, so it or an entry before it was changed since",
  lost: "other entries were anchored here, and a restore of the database lost them; the log says so",
}
