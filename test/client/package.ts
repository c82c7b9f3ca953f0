import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

const root = join(import.meta.dirname, "..", "..")
const tools = join(root, "node_modules", ".bin")

/** The machine's Node 20, the oldest that the client supports; null if none is installed. */
export function findNode20(): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"))
  const found = folders.find((folder) => {
    const node = join(folder, "node")
    return existsSync(node) && execFileSync(node, ["--version"], { encoding: "utf8" }).startsWith("v20.")
  })
  return found ?? null
}

/** The code blocks of the README's quick start, in order, with their languages. */
export function quickStart(): { language: string; code: string }[] {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const section = /^## Quick start$(.*?)^## /ms.exec(readme)![1]!
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }))
}

/** A copy of the checkout with only the client, without build output, next to which a reader creates a project. */
export function checkout(): { folder: string; projects: string } {
  const projects = mkdtempSync(join(tmpdir(), "vouch-package-"))
  const folder = join(projects, "vouch")
  const isSource = (path: string) => !/\/(dist|python)(\/|$)/.test(path.slice(root.length))
  cpSync(join(root, "client"), join(folder, "client"), { recursive: true, filter: isSource })
  return { folder, projects }
}

/** A shell's environment: the machine's Node first, and npm without a network. */
export function environment(node: string | null, more: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env
  const first = node === null ? [] : [node]
  return { PATH: [...first, PATH, tools].join(delimiter), HOME, npm_config_offline: "true", ...more }
}

const LIMIT_MS = 10 * 60_000

/**
 * Runs a program and passes its lines to `on` in order. Rejects with all of them if it fails or takes longer than the
 * limit.
 */
export function run(
  [program, ...args]: [string, ...string[]],
  options: { cwd: string; env: Record<string, string>; on?: (line: string) => void },
): Promise<string> {
  const { cwd, env, on } = options
  const child: ChildProcess = spawn(program, args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  })
  let output = ""
  let seen = 0
  const hear = (chunk: Buffer) => {
    output += chunk
    const lines = output.split("\n")
    for (const line of lines.slice(seen, -1)) on?.(line)
    seen = lines.length - 1
  }
  child.stdout!.on("data", hear)
  child.stderr!.on("data", hear)
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    // A shell's own children may outlive it and keep its output open, so "close" may never come.
    child.on("exit", (_, signal) => signal === null || reject(new Error(`Ended by ${signal}:\n${output}`)))
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
  })
}

/** Opens the links that a program prints, and submits the sandbox's form like the hosted page. */
export function investorOf(origin: string) {
  const forms: Promise<void>[] = []
  const answers = { consent: true, country: "US", ageOver18: true, accredited: true, decision: "approved" }
  const submit = async (sessionId: string) => {
    const response = await fetch(`${origin}/api/trpc/verification.submit`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sessionId, ...answers }),
    })
    if (!response.ok) throw new Error(`The form was refused: ${response.status} ${await response.text()}`)
  }
  return {
    reads(line: string): void {
      const [, sessionId] = /^Open \S+\/verify\/(\S+) and submit the form\.$/.exec(line) ?? []
      if (sessionId !== undefined) forms.push(submit(sessionId))
    },
    /** The number of forms. Rejects if one was refused. */
    submitted: async (): Promise<number> => (await Promise.all(forms)).length,
  }
}
