/**
 * Runs Lighthouse on the production build in the machine's Chromium: `npm run lighthouse`. Starts a server, signs an
 * owner in and adds data. Prints the scores of each page and fails below 95.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { chromium } from "@playwright/test"
import { Keypair } from "@solana/web3.js"
import lighthouse, { desktopConfig } from "lighthouse"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { findChromium } from "../scripts/chromium.mjs"
import { table } from "./table.ts"

const LEAST = 95
const ROUNDS = 3
const ATTESTATIONS = 60
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const
const PASSWORD = "correct horse battery staple"

const root = join(import.meta.dirname, "..")
const dataDir = mkdtempSync(join(tmpdir(), "vouch-lighthouse-"))
const port = await freePorts(1)
const debugPort = await freePorts(1)
const origin = `http://localhost:${port}`
const environment = {
  PATH: process.env.PATH!,
  HOME: process.env.HOME!,
  PORT: String(port),
  VOUCH_DATA_DIR: dataDir,
  VOUCH_LOCALNET_PORT: String(await freePorts(2)),
  VOUCH_RATE_LIMIT: "0",
  VOUCH_LOG_LEVEL: "warn",
} as unknown as NodeJS.ProcessEnv

const server = spawn(process.execPath, ["server/main.ts"], {
  cwd: root,
  env: environment,
  stdio: ["ignore", "pipe", "inherit"],
})
const ended = new Promise((resolve) => server.once("exit", resolve))
const executablePath = findChromium()
if (!executablePath) throw new Error("Chromium is not installed: install the package chromium.")
const browser = await chromium.launch({
  executablePath,
  args: [
    `--remote-debugging-port=${debugPort}`,
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
})

try {
  const link = await ownerLink()
  const { workspace, sessionUrl, cookie } = await seed(link)
  const pages = [
    { name: "overview", url: `${origin}/${workspace}/overview` },
    { name: "attestations", url: `${origin}/${workspace}/attestations` },
    { name: "hosted page", url: sessionUrl },
  ]
  const rows: string[][] = []
  let missed = false
  for (const { name, url } of pages) {
    const rounds: Record<(typeof CATEGORIES)[number], number>[] = []
    for (let n = 0; n < ROUNDS; n++) rounds.push(await scoresOf(url, cookie))
    const scores = CATEGORIES.map((category) => middle(rounds.map((round) => round[category])))
    missed ||= scores.some((score) => score < LEAST)
    rows.push([name, ...scores.map((score) => score.toFixed(0))])
  }
  console.log(table(["", ...CATEGORIES], rows))
  if (missed) process.exitCode = 1
} finally {
  await browser.close()
  server.kill("SIGTERM")
  await ended
  rmSync(dataDir, { recursive: true, force: true })
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function scoresOf(url: string, cookie: string) {
  const flags = {
    port: debugPort,
    onlyCategories: [...CATEGORIES],
    extraHeaders: { Cookie: cookie },
    logLevel: "error" as const,
  }
  const result = await lighthouse(url, flags, desktopConfig)
  if (!result || result.lhr.runtimeError) throw new Error(result?.lhr.runtimeError?.message ?? "No result")
  const failed = Object.values(result.lhr.audits).filter(
    ({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== "informative",
  )
  console.error(
    `${new URL(url).pathname}: ${failed.map(({ id, displayValue }) => `${id} ${displayValue ?? ""}`).join("; ")}`,
  )
  return Object.fromEntries(
    CATEGORIES.map((category) => [category, (result.lhr.categories[category]?.score ?? 0) * 100]),
  ) as Record<(typeof CATEGORIES)[number], number>
}

async function ownerLink(): Promise<string> {
  let printed = ""
  for await (const chunk of server.stdout!) {
    printed += String(chunk)
    const link = /\S+\/setup\?token=\S+/.exec(printed)?.[0]
    if (link && /curl .*\n/.test(printed)) {
      server.stdout!.resume()
      return link
    }
  }
  throw new Error(`The server ended:\n${printed}`)
}

/** An owner, and verified wallets to show. */
async function seed(link: string) {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin, ...headers },
      body: JSON.stringify(body),
    })
  const person = { name: "Ada", email: "ada@example.com", password: PASSWORD }
  await post("/api/trpc/setup.createUser", { token: new URL(link).searchParams.get("token"), ...person })
  const signedIn = await post("/api/auth/sign-in/email", person)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ")
  const me = await (await fetch(`${origin}/api/trpc/me.get`, { headers: { cookie } })).json()
  const workspace = me.result.data.workspaces[0].id as string
  const headers = { cookie, "x-vouch-workspace": workspace }
  const start = async () => {
    const wallet = Keypair.generate().publicKey.toBase58()
    const answer = await post("/api/trpc/kyc.start", { userPubkey: wallet, schemaId: "kyc_individual_v1" }, headers)
    return (await answer.json()).result.data as { session_id: string; session_url: string }
  }
  for (let n = 0; n < ATTESTATIONS; n++) {
    const { session_id } = await start()
    await post("/api/trpc/verification.submit", {
      sessionId: session_id,
      consent: true,
      country: "US",
      ageOver18: true,
      accredited: true,
      decision: n % 5 === 0 ? "rejected" : "approved",
    })
  }
  await sleep(3000)
  return { workspace, cookie, sessionUrl: (await start()).session_url }
}
