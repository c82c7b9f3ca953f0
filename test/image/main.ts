/**
 * `npm run image` follows the instructions of `deploy/Dockerfile` as an ordinary user in empty directories, and runs
 * the result as another user who can write nothing. `-- --keep` keeps it for inspection. It needs no Docker. A build
 * with Docker has the same result.
 */
import assert from "node:assert/strict"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServices } from "#server/embedded/services.ts"
import { sleep } from "#server/lib/time.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { build, type Image, isRoot, makeTools } from "./build.ts"

const PATIENCE_MS = 120_000
const STOP_MS = 30_000

const folder = mkdtempSync(join(tmpdir(), "vouch-image-"))
chmodSync(folder, 0o755)
const children = new Set<ChildProcess>()
let services: Awaited<ReturnType<typeof startServices>> | undefined

type Ended = { code: number | null; said: string }
type Running = { child: ChildProcess; ended: Promise<Ended>; said: () => string }

const secret = () => randomBytes(32).toString("base64")

try {
  const path = makeTools(join(folder, "tools"))
  step("Building the image as an ordinary user in empty directories")
  const image = await build(folder, path)
  const { user, command, healthCheck, stopSignal } = image.stage
  assert.match(user ?? "", /^[1-9]\d*:[1-9]\d*$/, "USER must be numeric and not root")
  assert.ok(command && healthCheck, "CMD and HEALTHCHECK are required")
  assert.equal(stopSignal, "SIGTERM")
  const tmp = closeTree(image, user!)

  services = await startServices({
    dataDir: join(folder, "services"),
    databaseUrl: undefined,
    rpcUrl: undefined,
    localnetPort: await freePorts(2),
    localnetSlotMs: 50,
    localnetFaults: false,
    log: { info: () => {}, warn: console.warn, error: console.error },
    purpose: "server",
    durable: false,
  })
  const [port, webMetrics, workerMetrics] = [await freePorts(1), await freePorts(1), await freePorts(1)]
  const settings = {
    DATABASE_URL: await overTcp(services.databaseUrl),
    SOLANA_RPC_URL: services.rpcUrl,
    VOUCH_PUBLIC_URL: `http://localhost:${port}`,
    VOUCH_SIGNER: secret(),
    VOUCH_DATA_KEY: secret(),
    VOUCH_WEBHOOK_SECRET: `whsec_${secret()}`,
    PORT: String(port),
  }
  const begin = (words: string[], own: Record<string, string>) => start(words, own, { image, user: user!, path, tmp })
  const ends = (words: string[], own: Record<string, string>) => begin(words, own).ended
  const cli = (...words: string[]) => ["node", "server/cli.ts", ...words]

  step("A process with missing or wrong settings names them and ends")
  const { VOUCH_SIGNER: signer, ...withoutSecret } = settings
  const { SOLANA_RPC_URL: _rpc, ...withoutChain } = settings
  const { DATABASE_URL: _database, ...withoutDatabase } = settings
  const away = { ...settings, DATABASE_URL: "postgres://vouch:hunter2@127.0.0.1:1/vouch" }
  for (const [own, named] of [
    [withoutSecret, /VOUCH_SIGNER: required/],
    [withoutDatabase, /DATABASE_URL/],
    [withoutChain, /SOLANA_RPC_URL/],
    [away, /Vouch cannot start: .*127\.0\.0\.1:1/],
  ] as const) {
    const { code, said } = await ends(command, own)
    assert.equal(code, 1, said)
    assert.match(said, named)
    for (const hidden of ["hunter2", signer]) assert.ok(!said.includes(hidden), "a secret is in the output")
  }

  step("Two processes migrate at once, with only the database's address")
  const migrated = await Promise.all([1, 2].map(() => ends(cli("migrate"), { DATABASE_URL: settings.DATABASE_URL })))
  for (const { code, said } of migrated) assert.equal(code, 0, said)

  step("web and worker start on a read-only file system")
  const asWeb = { ...withoutSecret, VOUCH_ROLE: "web", VOUCH_METRICS_PORT: String(webMetrics) }
  const asWorker = { ...settings, VOUCH_ROLE: "worker", VOUCH_METRICS_PORT: String(workerMetrics) }
  assert.equal((await ends(healthCheck, asWeb)).code, 1, "a process that is not running must not be healthy")
  const web = begin(command, asWeb)
  const worker = begin(command, asWorker)
  for (const [role, own, running] of [
    ["web", asWeb, web],
    ["worker", asWorker, worker],
  ] as const)
    await until(
      async () => {
        assert.equal(running.child.exitCode, null, `${role} ended:\n${running.said()}`)
        return (await ends(healthCheck, own)).code === 0
      },
      `${role} to be healthy`,
      running,
    )

  step("The API answers, pages load, and a verification starts")
  const origin = settings.VOUCH_PUBLIC_URL
  await until(
    async () => {
      const response = await fetch(`${origin}/v1/health`)
      return response.status === 200 && ((await response.json()) as { status: string }).status !== ""
    },
    "health",
    web,
  )
  for (const page of ["/sign-in", "/docs/api/mintTokens", "/docs/client-python"]) {
    const response = await fetch(origin + page)
    const html = await response.text()
    assert.equal(response.status, 200, `${page}: ${html.slice(0, 500)}\n${web.said()}`)
    for (const [, asset] of html.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g))
      assert.equal((await fetch(origin + asset!)).status, 200, asset!)
  }
  const made = await ends(cli("account", "create", "--name", "Example Two", "--plan", "free"), settings)
  assert.equal(made.code, 0, made.said)
  const key = await ends(
    cli("--json", "key", "create", "--account", "Example Two", "--mode", "test", "--name", "Image"),
    settings,
  )
  assert.equal(key.code, 0, key.said)
  const apiKey = /vouch_test_\w+/.exec(key.said)?.[0]
  const started = await fetch(`${origin}/v1/kyc/start`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      userPubkey: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
      schemaId: "kyc_individual_v1",
    }),
  })
  const session = (await started.json()) as { session_url: string }
  assert.equal(started.status, 200, JSON.stringify(session))
  assert.equal((await fetch(session.session_url)).status, 200)

  step("SIGTERM ends both processes cleanly")
  for (const { child, ended, said } of [web, worker]) {
    child.kill(stopSignal as NodeJS.Signals)
    const { code } = await Promise.race([ended, sleep(STOP_MS).then(() => ({ code: "none: still running" }))])
    assert.equal(code, 0, said())
  }
  console.error("\nThe image works.")
} finally {
  for (const child of children) child.kill("SIGKILL")
  await services?.stop()
  if (process.argv.includes("--keep")) console.error(`Kept: ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}

/** The embedded Postgres only accepts its own user, but an image connects to Postgres over the network. */
async function overTcp(url: string): Promise<string> {
  const { host, port } = socketOptions(url)
  const relay = createServer((near) => {
    const far = connect(join(host!, `.s.PGSQL.${port}`))
    near.pipe(far).pipe(near)
    near.on("error", () => far.destroy())
    far.on("error", () => near.destroy())
  })
  relay.unref()
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve))
  const own = new URL(url)
  const { port: tcp } = relay.address() as AddressInfo
  return `postgres://${own.username}:${own.password}@127.0.0.1:${tcp}${own.pathname}`
}

/** Makes the image read-only, like a container's file system. Returns a folder that replaces /tmp. */
function closeTree({ root, workdir }: Image, user: string): string {
  const tmp = join(folder, "run-tmp")
  mkdirSync(tmp)
  if (isRoot) chownSync(tmp, ...(user.split(":").map(Number) as [number, number]))
  execFileSync("chmod", ["-R", "a-w", join(root, workdir)])
  return tmp
}

type Where = { image: Image; user: string; path: string; tmp: string }

/** Starts a command in the image, with the image's and the given settings only. */
function start([command, ...args]: string[], own: Record<string, string>, { image, user, path, tmp }: Where): Running {
  const inTmp = Object.fromEntries(
    Object.entries(image.env).map(([name, value]) => [name, value.replace(/^\/tmp(?=\/|$)/, tmp)]),
  )
  const [uid, gid] = user.split(":").map(Number)
  const child = spawn(command!, args, {
    cwd: join(image.root, image.workdir),
    env: {
      PATH: path,
      TMPDIR: tmp,
      HOME: "/nonexistent",
      ...inTmp,
      ...own,
    } as NodeJS.Dict<string> as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot && { uid: uid!, gid: gid! }),
  })
  children.add(child)
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream!.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-20_000)
    })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => {
      children.delete(child)
      resolve({ code, said })
    })
  })
  return { child, ended, said: () => said }
}

async function until(isSo: () => Promise<boolean>, what: string, running: Running): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (
    !(await isSo().catch((error) => {
      if (error instanceof assert.AssertionError) throw error
      return false
    }))
  ) {
    if (performance.now() > end) throw new Error(`Timed out waiting for ${what}:\n${running.said()}`)
    await sleep(500)
  }
}

function step(what: string): void {
  console.error(`\n${what}`)
}
