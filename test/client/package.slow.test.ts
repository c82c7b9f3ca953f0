import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { checkout, environment, findNode20, investorOf, quickStart, run } from "./package.ts"

// The client as published: packed, and installed without a network in an empty project, with the README's commands.

const root = join(import.meta.dirname, "..", "..")
const [install, program, start] = quickStart()
const node20 = findNode20()
if (node20 === null) console.warn("No Node 20 on the PATH: the packed client runs on this Node only.")

let app: TestApp
let projects: string
/** The empty project that the quick start creates. */
let project: string

beforeAll(async () => {
  const made = checkout()
  projects = made.projects
  project = join(projects, "try-vouch")
  await run(["bash", "-ec", install!.code], { cwd: made.folder, env: environment(node20) })
  app = await startTestApp()
})
afterAll(async () => {
  await app?.stop()
  rmSync(projects, { recursive: true, force: true })
})

test("the package has no dependencies and no sources, and states its license", () => {
  const at = (name: string) => join(project, "node_modules", "@vouch", "client", name)
  const { dependencies, license } = JSON.parse(readFileSync(at("package.json"), "utf8"))
  expect({ dependencies, license }).toEqual({ dependencies: undefined, license: "MIT" })
  expect(["README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"].filter((name) => !existsSync(at(name)))).toEqual(
    [],
  )
  expect(existsSync(at("src"))).toBe(false)
})

test("the README's quick start runs as printed", async () => {
  expect([install, program, start].map((block) => block?.language)).toEqual(["sh", "js", "sh"])
  writeFileSync(join(project, "quickstart.mjs"), program!.code)
  const { apiKey } = await app.key()
  const env = environment(node20, { ORIGIN: app.origin, RPC_URL: app.chain.url })
  const investor = investorOf(app.origin)
  const output = await run(["bash", "-ec", start!.code.replace("vouch_test_…", apiKey)], {
    cwd: project,
    env,
    on: investor.reads,
  })
  expect(await investor.submitted()).toBe(2)
  expect(output.match(/is verified\./g)).toHaveLength(2)
  expect(output).toMatch(/holds 749\.5\.\n\w+ holds 250\.5\./)
  expect(output).toMatch(/verified: true,\s+attestationId: 'att_/)
  const sequences = [...output.matchAll(/^(\d+) [a-z.]+$/gm)].map(([, sequence]) => Number(sequence))
  expect(sequences.length).toBeGreaterThanOrEqual(6)
  expect(sequences).toEqual(sequences.map((_, at) => at + 1))
})

/** A program that uses every part of the client, with mistakes that must not compile. */
const TYPES = `import { type Attestation, type ErrorCode, type Event, type TestEvent, unwrapEvent, Vouch, VouchError, verifyOnChain } from "@vouch/client"

const vouch = new Vouch({ baseUrl: "https://vouch.example.com/v1", apiKey: undefined })

export async function all(signal: AbortSignal, schema: string | undefined): Promise<ErrorCode | Attestation[]> {
  const found: Attestation[] = []
  for await (const one of vouch.listAttestations({ status: "verified", schema }, { signal })) found.push(one)
  const first: Attestation | undefined = (await vouch.listAttestations()).data[0]
  if (first?.onchain) {
    const answer = await verifyOnChain("https://rpc.example.com", { issuer: first.onchain.authority, schema: first.schema, wallet: first.user_pubkey, transaction: first.onchain_tx })
    if (answer.verified && answer.isLatest) answer.expiresAt.getTime()
    else if (answer.verified) answer.transaction.length
    else answer.reason.length
  }
  const mint = vouch.mintTokens({ user_pubkey: "w", mint_config: "m", amount: "1" }, { respondAsync: true, idempotencyKey: undefined })
  const { status }: { status: "awaiting_approval" | "queued" | "submitted" | "confirmed" | "failed" } = await vouch.waitFor(mint)
  try {
    await vouch.pauseMintConfig({ id: status })
  } catch (error) {
    if (error instanceof VouchError && error.code === "mint_config_not_found") return error.code
    if (error instanceof VouchError && (error.code === "history_too_long" || error.code === "too_many_accounts")) return []
    // @ts-expect-error: there is no such code
    if (error instanceof VouchError && error.code === "mint_config_missing") return []
  }
  const event: Event | TestEvent = await unwrapEvent("{}", new Headers(), ["whsec_a", "whsec_b"])
  if (event.type === "operation.failed") event.data.error?.length
  if (event.type === "webhook.test") event.id.length
  // @ts-expect-error: a transfer has a sender
  await vouch.transferTokens({ to_pubkey: "w", mint_config: "m", amount: "1" })
  // @ts-expect-error: a status has no balance
  await vouch.getWalletStatus({ pubkey: "w" }).then(({ balance }) => balance)
  return found
}
`

test.each([
  ["node16", ["--module", "node16", "--moduleResolution", "node16", "--lib", "es2022,dom"]],
  ["bundler", ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom"]],
])("its types work in a strict project with module resolution %s", async (name, options) => {
  const folder = join(project, name)
  mkdirSync(folder)
  writeFileSync(join(folder, "use.mts"), TYPES)
  const strict = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--skipLibCheck",
    "false",
  ]
  const args = [...strict, "--target", "es2022", ...options, join(folder, "use.mts")]
  await run([process.execPath, join(root, "node_modules", "typescript", "bin", "tsc"), ...args], {
    cwd: folder,
    env: environment(null),
  })
})
