import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { signal } from "#server/embedded/process.ts"
import { Browser, PASSWORD } from "../fixtures/people.ts"
import { startScript } from "../fixtures/start-script.ts"
import { assert } from "./assert.ts"
import { type Account, Bystander } from "./bystanders.ts"
import { createDeployment, type Deployment, type ServerProcess, until } from "./deployment.ts"
import { processesOf } from "./processes.ts"
import { randomFrom } from "./random.ts"
import { stranger, type Target, type Trick, tricks } from "./strangers.ts"

/** The number of strangers that run each attack at once. */
const crowd: { [trick in Trick]: number } = {
  pipelining: 20,
  floods: 20,
  chunks: 12,
  unfinished: 40,
  bodies: 30,
  unread: 30,
  upgrades: 20,
  streams: 30,
  batches: 10,
  forgeries: 20,
  keys: 20,
  trickles: 20,
  deaf: 6,
  garbage: 10,
  crowds: 2,
}
/** Limits for the server: resident memory in megabytes of 10⁶ bytes, and its time to stop. */
const MEMORY_MB = 350
const END_MS = 10_000
/** How many more file descriptors may be open at the end than at the start, because pools open connections. */
const SPARE_DESCRIPTORS = 24

export type Storm = { seconds: number; seed: number; say(text: string): void }

export type StormSummary = {
  /** Honest requests, each answered correctly. */
  answered: number
  /** The responses to strangers, with counts. */
  strangers: { [status: string]: number }
  tricks: number
  memory_mb: { calm: number; peak: number }
  descriptors: { calm: number; peak: number; after: number }
  end_ms: number
}

/**
 * Strangers flood a server started like `npm start` while two customers keep working. Rejects if a response is missing
 * or wrong, if memory or descriptors exceed their limits, or if the server does not shut down.
 */
export async function storm({ seconds, seed, say }: Storm): Promise<StormSummary> {
  assert(process.platform === "linux", () => "the storm needs Linux, because it reads /proc")
  const deployment = await createDeployment({ VOUCH_RATE_LIMIT: "1000", VOUCH_LOCALNET_FAULTS: "0" })
  try {
    const { environment, flags } = startScript()
    const server = deployment.startServer(environment, flags)
    await deployment.ready(server)
    return await storming(deployment, server, { seconds, seed, say })
  } finally {
    await deployment.destroy()
  }
}

async function storming(
  deployment: Deployment,
  server: ServerProcess,
  { seconds, seed, say }: Storm,
): Promise<StormSummary> {
  const random = randomFrom(seed)
  const { cookie, workspaceId, accounts } = await prepare(deployment)
  const bystanders = accounts.map((account) => new Bystander(deployment, { account, random }))
  const honest = new AbortController()
  const working = Promise.all(bystanders.map((one) => one.work(honest.signal)))
  // The first failure ends the storm.
  const failed = working.then(() => new Promise<never>(() => {}))
  await Promise.race([failed, until("the customers to start working", () => bystanders.every((b) => b.answered > 100))])
  const calm = { memory: memoryOf(server.pid).now, descriptors: descriptorsOf(server.pid) }
  say(`calm: ${calm.memory} MB, ${calm.descriptors} descriptors`)

  const answers: { [status: string]: number } = {}
  const onStatus = (status: string) => {
    answers[status] = (answers[status] ?? 0) + 1
  }
  const still = new AbortController()
  let played = 0
  const targetOf = (n: number): Target => ({
    ...stranger(n, { port: deployment.port, onStatus }),
    below: random.below,
    pick: random.pick,
    cookie,
    workspaceId,
  })
  const strangers = (Object.keys(crowd) as Trick[]).flatMap((trick, kind) =>
    Array.from({ length: crowd[trick] }, async (_, n) => {
      for (; !still.signal.aborted; played++) await tricks[trick](targetOf(kind * 41 + n))
    }),
  )
  let peakDescriptors = 0
  const end = Date.now() + seconds * 1000
  for (let said = 0; Date.now() < end; ) {
    await Promise.race([failed, sleep(500)])
    peakDescriptors = Math.max(peakDescriptors, descriptorsOf(server.pid))
    const { now, peak } = memoryOf(server.pid)
    assert(peak < MEMORY_MB, () => `the server used ${peak} MB`)
    if (Date.now() - said > 10_000) {
      said = Date.now()
      const sum = bystanders.reduce((all, { answered }) => all + answered, 0)
      say(`${now} MB, at most ${peak}; ${descriptorsOf(server.pid)} descriptors; ${sum} honest answers`)
    }
  }
  still.abort()
  await Promise.race([failed, Promise.all(strangers)])
  honest.abort()
  await working
  const after = await until("descriptors to be closed", () => {
    const open = descriptorsOf(server.pid)
    return open <= calm.descriptors + SPARE_DESCRIPTORS && open
  })
  const memory_mb = { calm: calm.memory, peak: memoryOf(server.pid).peak }
  assert(memory_mb.peak < MEMORY_MB, () => `the server used ${memory_mb.peak} MB`)
  return {
    answered: bystanders.reduce((sum, { answered }) => sum + answered, 0),
    strangers: answers,
    tricks: played,
    memory_mb,
    descriptors: { calm: calm.descriptors, peak: peakDescriptors, after },
    end_ms: await endWhileBesieged(deployment, server, targetOf(0)),
  }
}

/** Stops the server while clients that never finish are connected. It must still shut down cleanly. */
async function endWhileBesieged(deployment: Deployment, server: ServerProcess, target: Target): Promise<number> {
  const bytes = [
    "",
    "GET / HT",
    "\x16\x03\x01\x02\x00",
    "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx",
    "POST /api/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    `GET /api/trpc/activity.changes?workspace=${target.workspaceId} HTTP/1.1\r\nHost: localhost\r\nCookie: ${target.cookie}\r\n\r\n`,
  ]
  await Promise.all(Array.from({ length: 20 }, () => bytes.map((one) => target.open(one))).flat())
  const deaf = await target.open("GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100))
  deaf.pause()
  await sleep(1000)
  const stopping = performance.now()
  signal(server.pid, "SIGTERM")
  const exitCode = await server.exited
  const end_ms = Math.round(performance.now() - stopping)
  assert(exitCode === 0, () => `the server exited with ${exitCode}:\n${server.output().slice(-2000)}`)
  assert(end_ms < END_MS, () => `the server took ${end_ms} ms to end`)
  const left = processesOf(deployment.dataDir)
  assert(left.length === 0, () => `processes are left: ${left.join(", ")}`)
  return end_ms
}

/** Two customers with a key each, and a signed-in member of the first. */
async function prepare(deployment: Deployment) {
  const accounts: Account[] = []
  const browser = new Browser(deployment)
  let workspaceId = ""
  for (const name of ["Anna Inc", "Bert Ltd"]) {
    const email = `${name.slice(0, 4)}@example.com`
    const made = await run(deployment, ["account", "create", "--name", name, "--plan", "growth", "--owner", email])
    const { api_key } = await run(deployment, ["key", "create", "--account", name, "--mode", "live"])
    accounts.push({ name, apiKey: api_key })
    if (workspaceId !== "") continue
    workspaceId = made.workspaces.live
    const token = new URL(made.owner_link).searchParams.get("token")
    const person = { name: "The owner", email, password: PASSWORD }
    const created = await browser.mutate("setup.createUser", { token, ...person })
    assert(created.status === 200, () => `setup.createUser: ${JSON.stringify(created.error)}`)
    const signedIn = await browser.signIn(email)
    assert(signedIn.status === 200, () => `signing in: ${JSON.stringify(signedIn)}`)
  }
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  return { accounts, cookie, workspaceId }
}

async function run(deployment: Deployment, argv: string[]) {
  const { exitCode, stdout, stderr } = await deployment.command([...argv, "--json"])
  assert(exitCode === 0, () => `${argv.join(" ")}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

/** Resident memory, now and at its highest. */
function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const megabytes = (field: string) =>
    Math.round((Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) * 1024) / 1e6)
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") }
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
