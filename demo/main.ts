import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { withProgress } from "../scripts/progress.mjs"
import { ACCOUNT, members } from "./company.ts"
import { fill } from "./fill.ts"
import { type Folder, openFolder, type State } from "./folder.ts"
import { beginReviews, createMembers } from "./members.ts"

const USAGE = `Usage: npm run demo [-- --reset]

Starts Vouch with an invented company: investors, tokens, reviews, failures. It has a database and a Solana network of its
own, and reads no settings of a real deployment. Ctrl-C stops it; the next run continues.

  --reset          delete the data first
  --data <folder>  where the data are (default: .demo)
  --help           this text

PORT is the port of the pages and the API (default: 3000), VOUCH_LOCALNET_PORT that of the Solana network (8899).`

/** The variables that the demo passes on. Others may name a real database or chain. */
const PASSED = ["PATH", "HOME", "TMPDIR", "LANG", "PORT", "VOUCH_LOCALNET_PORT"]
/** Responses to a repeated request are kept for a day. */
const REPEATABLE_MS = 24 * 3_600_000

const { reset, help, data } = parseOptions()
if (help) {
  console.log(USAGE)
  process.exit(0)
}
const port = process.env.PORT ?? "3000"
const origin = `http://localhost:${port}`
const { state, save } = await open()
if (!state.isFilled && Date.now() - state.begunAt > REPEATABLE_MS)
  stop("An earlier run was interrupted more than a day ago. Start over with: npm run demo -- --reset")

const env: NodeJS.ProcessEnv = {
  NODE_ENV: process.env.NODE_ENV,
  ...Object.fromEntries(PASSED.map((name) => [name, process.env[name]])),
  PORT: port,
  VOUCH_DATA_DIR: data,
  VOUCH_LOG_LEVEL: "error",
  VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8",
}
const server = spawn(process.execPath, ["server/main.ts"], { env, stdio: ["ignore", "pipe", "inherit"] })
const ended = once(server, "exit")
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => void endServer(server).then(() => process.exit(130)))

try {
  await receiveWebhooks()
  await withProgress("Starting Vouch", () => untilReady(server))
  if (!state.isFilled) await withProgress(`Filling ${ACCOUNT}`, ({ note }) => fillOnce(note))
} catch (error) {
  await endServer(server)
  stop(`${(error as Error).message}\nRun npm run demo again to continue, or npm run demo -- --reset to start over.`)
}
console.log(signIns())
await ended
process.exit(1)

async function fillOnce(note: (progress: string) => void): Promise<void> {
  note("the account")
  state.account ??= await createAccount()
  save()
  const { account } = state
  if (!state.hasMembers) await createMembers(origin, account.ownerLink, account.workspace, state.password)
  state.hasMembers = true
  save()
  const { VOUCH_WEBHOOK_SECRET: webhookSecret } = JSON.parse(readFileSync(join(data, "secrets.json"), "utf8"))
  const receivers = { working: `http://127.0.0.1:${state.receiverPort}/vouch`, failing: "http://127.0.0.1:9/vouch" }
  await fill({ ...account, origin, webhookSecret, receivers, note })
  note("reviews")
  await beginReviews(origin, account.workspace, state.password)
  state.isFilled = true
  save()
}

/** A receiver that accepts every event. */
async function receiveWebhooks(): Promise<void> {
  const receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end()))
  receiver.listen(state.receiverPort, "127.0.0.1")
  await once(receiver, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error
    throw new Error(`Another program uses port ${state.receiverPort}, where this demo receives its webhooks.`)
  })
  state.receiverPort = (receiver.address() as { port: number }).port
  save()
}

async function createAccount(): Promise<NonNullable<State["account"]>> {
  const owner = members[0].email
  const made = await vouch<{ owner_link: string; workspaces: { test: string } }>(
    ...["account", "create", "--name", ACCOUNT, "--plan", "growth", "--owner", owner],
  )
  const key = (...more: string[]) =>
    vouch<{ api_key: string }>("key", "create", "--account", ACCOUNT, "--mode", "test", ...more)
  const { api_key: apiKey } = await key("--name", "Investor portal")
  const { api_key: readingKey } = await key("--name", "Reporting", "--scopes", "kyc:read,token:read,attestation:read")
  return { ownerLink: made.owner_link, workspace: made.workspaces.test, apiKey, readingKey }
}

async function vouch<Result>(...args: string[]): Promise<Result> {
  const command = promisify(execFile)(process.execPath, ["server/cli.ts", ...args, "--json"], { env })
  const { stdout } = await command.catch(({ stderr, signal }: { stderr: string; signal: string | null }) => {
    throw new Error(`vouch ${args.slice(0, 2).join(" ")} failed: ${stderr.trim() || `ended by ${signal}`}`)
  })
  return JSON.parse(stdout)
}

async function open(): Promise<Folder> {
  try {
    return await openFolder(data, { origin, reset })
  } catch (error) {
    return stop((error as Error).message)
  }
}

function signIns(): string {
  const width = Math.max(...members.map(({ email }) => email.length))
  const people = members.map(({ email, role }) => `  ${email.padEnd(width)}  ${role}`)
  return [
    "",
    `${ACCOUNT} is ready: ${origin}/sign-in`,
    "",
    ...people,
    "",
    `  Password  ${state.password}`,
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n")
}

/** Waits for the last line that a start prints. */
async function untilReady({ stdout }: ChildProcess): Promise<void> {
  let printed = ""
  const ready = new Promise<boolean>((resolve) =>
    stdout!.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk
      if (/curl .*\n/.test(printed)) resolve(true)
    }),
  )
  const isReady = await Promise.race([ready, ended.then(() => false)])
  if (!isReady) throw new Error("Vouch did not start. Its error is above.")
}

async function endServer(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM")
  await ended
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        reset: { type: "boolean", default: false },
        data: { type: "string", default: ".demo" },
        help: { type: "boolean", short: "h" },
      },
    }).values
  } catch (error) {
    return stop(`${(error as Error).message}\n\n${USAGE}`)
  }
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}
