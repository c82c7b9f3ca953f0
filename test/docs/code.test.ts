import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseDocument } from "yaml"
import { startTestApp, type TestApp } from "#test/app.ts"
import { investorOf, run } from "#test/client/package.ts"
import { freePorts } from "#test/free-ports.ts"
import { type Block, blocksOf, codeIn, documents } from "./blocks.ts"
import { tryCommands } from "./shell.ts"
import { typeErrors } from "./typescript.ts"

const guides = documents.filter((file) => file.startsWith("docs/guides/"))
const all = documents.flatMap(blocksOf)
const nameOf = ({ file, line, language }: Block) => `${file}:${line} (${language})`
const client = join(import.meta.dirname, "..", "..", "client", "src", "index.ts")
/** A guide's blocks are one program, as its reader would write it. */
const programOf = (file: string) =>
  codeIn(file, "ts")
    .map(({ code }) => code)
    .join("\n")

const usesOrigin = /\$\{?ORIGIN\b/
const programs = guides.filter((file) => programOf(file) !== "")

test("each block says in which language it is, or is a picture", () => {
  const known = new Set(["", "text", "sh", "ts", "js", "json", "yaml", "python"])
  expect(all.filter(({ language }) => !known.has(language)).map(nameOf)).toEqual([])
  // A picture has lines and arrows, no commands.
  const isCommand = /^\s*(\$|curl|npm|npx|node|vouch|docker|helm|kubectl|export) /m
  const bare = all.filter(({ language, code }) => language === "" && isCommand.test(code))
  expect(bare.map(nameOf)).toEqual([])
})

test("TypeScript compiles against the client and the server as they are", () => {
  const pieces = new Map(programs.map((file) => [file, programOf(file)]))
  for (const block of all) {
    if (!programs.includes(block.file) && block.language === "ts") pieces.set(nameOf(block), block.code)
  }
  expect(pieces.size).toBeGreaterThan(10)
  const found = [...typeErrors(pieces)].flatMap(([name, errors]) => errors.map((one) => `${name}, ${one}`))
  expect(found).toEqual([])
})

describe.each(all.filter(({ language }) => language === "json" || language === "yaml"))(
  "$file:$line",
  (block) => {
    test(`is ${block.language}`, () => {
      expect(parseDocument(block.code).errors).toEqual([])
      if (block.language === "json") expect(() => JSON.parse(block.code)).not.toThrow()
    })
  },
)

const shells = all.filter(({ language }) => language === "sh")
test.each(shells)(
  "$file:$line: the shell reads it, and its commands are ours as they are",
  async ({ code }) => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" })
    expect(stderr).toBe("")
    expect(status).toBe(0)
    expect(await tryCommands(code)).toEqual([])
  },
)

const pythons = all.filter(({ language }) => language === "python")
const hasPython = spawnSync("python3", ["--version"]).status === 0
test.skipIf(!hasPython).each(pythons)("$file:$line: Python compiles it", ({ code }) => {
  const compile = "import sys; compile(sys.stdin.read(), 'block', 'exec')"
  const { stderr } = spawnSync("python3", ["-c", compile], { input: code, encoding: "utf8" })
  expect(stderr).toBe("")
})

describe("the programs of the guides", () => {
  let app: TestApp
  let hookPort: number
  beforeAll(async () => {
    hookPort = await freePorts(1)
    app = await startTestApp({ VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8" })
  })
  afterAll(() => app.stop())

  // Each in a workspace of its own.
  test.each(programs)("%s runs from its first line to its last, and then its curl", async (file) => {
    const { apiKey } = await app.key()
    const investor = investorOf(app.origin)
    const env = {
      PATH: process.env.PATH!,
      KEY: apiKey,
      ORIGIN: app.origin,
      HOOK_PORT: String(hookPort),
      NODE_NO_WARNINGS: "1",
    }
    const cwd = mkdtempSync(join(tmpdir(), "vouch-guide-"))
    try {
      const last = file.endsWith("events.md") ? proofOfDelivery : ""
      const program = `${programOf(file)}\n${last}\nconsole.log("The end.")\nprocess.exit()\n`
      writeFileSync(join(cwd, "guide.ts"), program.replaceAll('"@vouch/client"', JSON.stringify(client)))
      const output = await run([process.execPath, "guide.ts"], { cwd, env, on: investor.reads })
      expect(output).toContain("The end.")
      await investor.submitted()
      for (const [printed, wanted] of promised(programOf(file))) expect(output, printed).toContain(wanted)
      for (const { code } of codeIn(file, "sh").filter(({ code }) => usesOrigin.test(code))) {
        const answer = JSON.parse(await run(["bash", "--norc", "-ec", code], { cwd, env }))
        // An operation has one too, which is null while nothing is wrong.
        expect(answer.error ?? null, code).toBeNull()
      }
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  })

  test("the quick start runs again: it starts no renewal, and asks for no form", async () => {
    const { apiKey } = await app.key()
    const investor = investorOf(app.origin)
    const { rpcEndpoint: RPC_URL } = app.connection
    const env = { PATH: process.env.PATH!, KEY: apiKey, ORIGIN: app.origin, RPC_URL, NODE_NO_WARNINGS: "1" }
    const cwd = mkdtempSync(join(tmpdir(), "vouch-guide-"))
    try {
      const [program] = codeIn("README.md", "js")
      writeFileSync(
        join(cwd, "quickstart.ts"),
        program!.code.replace('"@vouch/client"', JSON.stringify(client)),
      )
      const command: [string, string] = [process.execPath, "quickstart.ts"]
      await run(command, { cwd, env, on: investor.reads })
      expect(await investor.submitted()).toBe(2)
      const again = await run(command, { cwd, env, on: investor.reads })
      expect(again).not.toContain("submit the form")
      expect(again).toContain("holds 749.5")
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  })

  test("a guide without a program has its curl tried as well", async () => {
    const others = guides.filter((file) => !programs.includes(file)).flatMap((file) => codeIn(file, "sh"))
    const curls = others.filter(({ code }) => usesOrigin.test(code))
    expect(curls.length).toBeGreaterThan(0)
    for (const { code } of curls) {
      const env = { PATH: process.env.PATH!, ORIGIN: app.origin }
      expect(JSON.parse(await run(["bash", "--norc", "-ec", code], { cwd: tmpdir(), env }))).toHaveProperty(
        "status",
      )
    }
  })
})

/** What a program says beside its console.log that it prints: `console.log(x) // confirmed`. Up to an ellipsis or a colon. */
const promised = (program: string): [string, string][] =>
  [...program.matchAll(/^\s*console\.log\(.*\) \/\/ ([\w ]+)/gm)].map(([line, wanted]) => [
    line,
    wanted!.trim(),
  ])

/** The endpoint gets what happens from now on: the program goes on until it has been given it. */
const proofOfDelivery = `
await vouch.startVerification({ userPubkey: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", schemaId: "kyc_individual_v1" })
  .then(({ session_url }) => console.log(\`Open \${session_url} and submit the form.\`))
while (seen.size < 2) await new Promise((resolve) => setTimeout(resolve, 50))
`
