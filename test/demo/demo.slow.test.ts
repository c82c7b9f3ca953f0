import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"

const folder = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-demo-`))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Demo = { child: ChildProcess; text: () => string; end: (signal?: NodeJS.Signals) => Promise<number | null> }

async function demo(...args: string[]): Promise<Demo> {
  const ports = { PORT: String(await freePorts(1)), VOUCH_LOCALNET_PORT: String(await freePorts(2)) }
  const child = spawn(process.execPath, ["demo/main.ts", ...args], { env: { ...process.env, ...ports } })
  const ended = once(child, "exit")
  let printed = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text
    })
  const end = async (signal?: NodeJS.Signals) => {
    if (signal) child.kill(signal)
    return (await ended)[0] as number | null
  }
  onTestFinished(async () => void (await end("SIGTERM")))
  return { child, text: () => printed, end }
}

/** What a demo prints that refuses to start. */
async function refusal(...args: string[]): Promise<string> {
  const refused = await demo(...args)
  expect(await refused.end()).toBe(1)
  return refused.text()
}

const stateIn = (data: string) => JSON.parse(readFileSync(join(data, "demo.json"), "utf8"))
const change = (data: string, changes: object) =>
  writeFileSync(join(data, "demo.json"), JSON.stringify({ ...stateIn(data), ...changes }))

test("a demo that was interrupted at any step of its account continues, and keeps its folder to itself", async () => {
  const data = join(folder, "interrupted")
  const untilMembers = async (one: Demo) => {
    await waitFor(async () => isOver(one) || (isStarted(one) && stateIn(data).hasMembers), "the members")
    expect(isOver(one), one.text()).toBe(false)
  }
  const first = await demo("--data", data)
  await waitFor(async () => isStarted(first), "the first demo")
  for (const more of [[], ["--reset"]]) {
    const said = await refusal("--data", data, ...more)
    expect(said).toContain(`a demo runs as process ${first.child.pid}, at http://localhost:`)
  }
  await untilMembers(first)
  await first.end("SIGINT")

  // Interrupted after the members had joined, and before that was saved.
  const { account } = stateIn(data)
  change(data, { hasMembers: false })
  const second = await demo("--data", data)
  await untilMembers(second)
  expect(stateIn(data).account).toEqual(account)

  // A killed demo leaves its server.
  second.child.kill("SIGKILL")
  await second.end()
  const said = await refusal("--data", data, "--reset")
  const [, pid] = /the server of an earlier demo runs as process (\d+)/.exec(said)!
  process.kill(Number(pid), "SIGTERM")
  await waitFor(async () => !isRunning(Number(pid)), "the server's end")

  // The account was created, and its links and keys are lost.
  change(data, { account: null, hasMembers: false })
  const third = await demo("--data", data)
  await untilMembers(third)
  await third.end("SIGINT")
})

test("a demo that cannot start says why in a sentence", async () => {
  expect(await refusal("--data", "")).toBe("--data: name a folder, such as .demo.\n")
  const broken = join(folder, "broken")
  mkdirSync(broken)
  writeFileSync(join(broken, "demo.json"), '{"begunAt": 17')
  expect(await refusal("--data", broken)).toBe(
    `${join(broken, "demo.json")} cannot be read. Start over with: npm run demo -- --reset\n`,
  )
  const other = join(folder, "other")
  mkdirSync(other)
  writeFileSync(join(other, "thesis.txt"), "Do not delete")
  for (const path of [other, join(other, "thesis.txt")])
    expect(await refusal("--data", path, "--reset")).toBe(
      `${path} is not the folder of a demo. Choose another with --data.\n`,
    )
  expect(readFileSync(join(other, "thesis.txt"), "utf8")).toBe("Do not delete")
})

const isStarted = ({ text }: Demo) => text().includes("Starting Vouch: done")

const isOver = ({ child, text }: Demo) => text().includes("failed after") || child.exitCode !== null

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
