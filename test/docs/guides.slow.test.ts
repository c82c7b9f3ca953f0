import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { allScopes, isScope, type Scope } from "#shared/scopes.ts"
import { findNode20, investorOf, run } from "#test/client/package.ts"
import { startTestApp, type TestApp, type TestKey } from "#test/fixtures/app.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { codeIn, guides, programOf, programs } from "./blocks.ts"
import { tryCommands } from "./shell.ts"

/** The oldest Node that a reader may have, if this machine has it. */
const node = join(findNode20() ?? "", "node")
const usesOrigin = /\$\{?ORIGIN\b/

let project: string
/** A reader's project with the client. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "vouch-guide-"))
  const folder = join(project, "node_modules", "@vouch", "client")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", main: "index.js" }))
  buildSync({
    entryPoints: [join(import.meta.dirname, "..", "..", "client", "src", "index.ts")],
    bundle: true,
    format: "esm",
    platform: "neutral",
    outfile: join(folder, "index.js"),
  })
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

describe("the programs of the guides", () => {
  let app: TestApp
  let hookPort: number
  beforeAll(async () => {
    hookPort = await freePorts(1)
    app = await startTestApp({ VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8" })
  })
  afterAll(() => app.stop())

  /** A reader in a new workspace, whose key has only the guide's scopes. */
  async function readerOf(file: string) {
    const account = await createAccount({ name: `Account ${newId("acct")}`, plan: "free" })
    const { apiKey } = await app.key({ account, scopes: scopesIn(file) })
    const investor = investorOf(app.origin)
    const env = {
      PATH: process.env.PATH!,
      KEY: apiKey,
      ORIGIN: app.origin,
      RPC_URL: app.chain.url,
      HOOK_PORT: String(hookPort),
    }
    const start = async (code: string, on?: (line: string) => void) => {
      writeFileSync(join(project, "guide.mjs"), `${code}\nconsole.log("The end.")\nprocess.exit()\n`)
      const hear = (line: string) => {
        investor.reads(line)
        on?.(line)
      }
      const output = await run([node, "guide.mjs"], { cwd: project, env, on: hear })
      expect(output).toContain("The end.")
      return output
    }
    return { start, env, submitted: investor.submitted, everything: await app.key({ account }) }
  }

  test.each(programs)(
    "%s continues where it stopped and can run again, together with its curl commands",
    async (file) => {
      const reader = await readerOf(file)
      const blocks = codeIn(file, "js").map(({ code }) => code)
      for (let end = 1; end < blocks.length; end++) await reader.start(blocks.slice(0, end).join("\n"))
      const forms = await reader.submitted()
      const isOfEvents = file.endsWith("events.md")
      for (const time of ["the first time", "again"]) {
        const code = `${programOf(file)}\n${isOfEvents ? untilDelivered : ""}`
        const output = await reader.start(code, isOfEvents ? (line) => happensAt(line, reader.everything) : undefined)
        for (const [printed, wanted] of promised(programOf(file)))
          expect(output, `${printed}, ${time}`).toContain(wanted)
        for (const { code } of codeIn(file, "sh").filter(({ code }) => usesOrigin.test(code))) {
          const answer = JSON.parse(await run(["bash", "--norc", "-ec", code], { cwd: project, env: reader.env }))
          // An operation has an error field too, which is null if nothing is wrong.
          expect(answer.error ?? null, code).toBeNull()
        }
      }
      expect(await reader.submitted()).toBe(forms)
    },
  )

  /** The endpoint gets events from its creation on. */
  function happensAt(line: string, key: TestKey) {
    if (line.startsWith("The endpoint answered"))
      void app.startSession(key, "VouchTestApproved11111111111111111111111118" as never)
  }

  test("the quick start continues where it stopped and can run again, without a renewal or a second form", async () => {
    const reader = await readerOf("README.md")
    const [program] = codeIn("README.md", "js")
    for (const step of ["// 2. Mint", "// 3. Transfer", "// 5. Read"])
      await reader.start(program!.code.slice(0, program!.code.indexOf(step)))
    expect(await reader.submitted()).toBe(2)
    for (const _ of ["once", "again"]) {
      const output = await reader.start(program!.code)
      expect(output).not.toContain("submit the form")
      expect(output).toContain("holds 749.5")
    }
  })

  test("the curl commands of a guide without a program work too", async () => {
    const others = guides.filter((file) => !programs.includes(file)).flatMap((file) => codeIn(file, "sh"))
    const curls = others.filter(({ code }) => usesOrigin.test(code))
    expect(curls.length).toBeGreaterThan(0)
    for (const { code } of curls) {
      const env = { PATH: process.env.PATH!, ORIGIN: app.origin }
      expect(JSON.parse(await run(["bash", "--norc", "-ec", code], { cwd: tmpdir(), env }))).toHaveProperty("status")
    }
  })
})

describe("the commands of the guides", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
    await createAccount({ name: "Fund", plan: "growth" })
  })
  afterAll(() => app.stop())

  test.each(guides)("the commands of %s can be run again", async (file) => {
    const token = join(project, "token.json")
    const config = {
      id: "fund_v1",
      name: "Fund",
      symbol: "FUND",
      decimals: 2,
      required_schema: "kyc_individual_v1",
    }
    writeFileSync(token, JSON.stringify(config))
    const codes: unknown[] = []
    const runner = {
      run: async (_json: boolean, work: () => Promise<{ exitCode?: number }>) =>
        void codes.push((await work()).exitCode ?? 0),
      runWithDatabase: async (_json: boolean, work: (url: string, setting: string) => Promise<unknown>) =>
        void (await work(app.databaseUrl, "DATABASE_URL")),
      // It checks a file that a reader has exported.
      runAlone: async () => {},
    }
    for (const { code } of codeIn(file, "sh")) {
      const script = code.replace(/ vouch -- test decide .*/, "").replace("token.json", token)
      for (const _ of ["once", "again"]) expect(await tryCommands(script, runner)).toEqual([])
    }
    expect(codes.filter((code) => code !== 0)).toEqual([])
  })
})

/** The scopes that a guide says its key needs; all scopes if it names none. */
function scopesIn(file: string): Scope[] {
  const [, list] =
    /^You need an? (?:API )?key with the scopes ([^.]+)\./m.exec(
      readFileSync(join(import.meta.dirname, "..", "..", file), "utf8"),
    ) ?? []
  const scopes = list && [...list.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope!).filter(isScope)
  return scopes || allScopes
}

/**
 * The output that a program's comments promise for console.log, up to an ellipsis or a colon: `console.log(x) //
 * confirmed`.
 */
const promised = (program: string): [string, string][] =>
  [...program.matchAll(/^\s*console\.log\(.*\) \/\/ ([\w ]+)/gm)].map(([line, wanted]) => [line, wanted!.trim()])

/** The program runs until its endpoint gets an event. */
const untilDelivered = "while (seen.size < 2) await new Promise((resolve) => setTimeout(resolve, 50))"
