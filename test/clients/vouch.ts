import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reference } from "#app/docs/api/openapi.ts"
import { samplesOf } from "#app/docs/api/samples.ts"
import { checkout, environment, findNode20, investorOf, quickStart, run as runAsync } from "../client/package.ts"
import { freePorts } from "../fixtures/free-ports.ts"
import { newSigningWallet } from "../fixtures/wallet.ts"
import { type Client, run } from "./run.ts"
import { askWorker } from "./worker.ts"

const root = join(import.meta.dirname, "..", "..")

type Server = { origin: string; rpcUrl: string; apiKey: string; child: ChildProcess; dataDir: string }
let server: Promise<Server> | undefined

/** `npm start` without any setup, as in the README. It builds the pages first if necessary. */
function startVouch(): Promise<Server> {
  server ??= (async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "vouch-own-"))
    const port = await freePorts(3)
    const ports = { PORT: String(port), VOUCH_LOCALNET_PORT: String(port + 1) }
    const child = spawn("npm", ["start"], {
      cwd: root,
      env: { ...process.env, ...ports, VOUCH_DATA_DIR: dataDir },
      stdio: ["ignore", "pipe", "inherit"],
      // npm passes signals to a shell, which does not pass them on. So end the whole group.
      detached: true,
    })
    let output = ""
    for await (const chunk of child.stdout!) {
      output += chunk
      const [, apiKey] = /Test key {4}(vouch_test_\w+)/.exec(output) ?? []
      if (apiKey === undefined || !output.includes("curl -s")) continue
      child.stdout!.resume()
      return {
        origin: `http://localhost:${port}`,
        rpcUrl: `http://127.0.0.1:${port + 1}`,
        apiKey,
        child,
        dataDir,
      }
    }
    throw new Error(`npm start ended:\n${output}`)
  })()
  return server
}

export async function stopVouch(): Promise<void> {
  if (server === undefined) return
  const { child, dataDir } = await server
  const ended = once(child, "exit")
  process.kill(-child.pid!, "SIGTERM")
  await ended
  rmSync(dataDir, { recursive: true, force: true })
}

/** The README's quick start in an empty project, with the command that runs JavaScript there. */
async function goQuickStart(dir: string, program: string): Promise<void> {
  const { origin, rpcUrl, apiKey } = await startVouch()
  const [install, script, start] = quickStart()
  const made = checkout()
  try {
    const node = findNode20()
    await runAsync(["bash", "-ec", install!.code], { cwd: made.folder, env: environment(node) })
    const project = join(made.projects, "try-vouch")
    writeFileSync(join(project, "quickstart.mjs"), script!.code)
    const command = start!.code.replace("vouch_test_…", apiKey).replace("node ", program)
    const investor = investorOf(origin)
    const env = environment(node, { ORIGIN: origin, RPC_URL: rpcUrl })
    const output = await runAsync(["bash", "-ec", command], { cwd: project, env, on: investor.reads })
    await investor.submitted()
    for (const wanted of ["holds 749.5.", "holds 250.5.", "verified: true"])
      if (!output.includes(wanted)) throw new Error(`${wanted} is missing in:\n${output}`)
    writeFileSync(join(dir, "output.txt"), output)
  } finally {
    rmSync(made.projects, { recursive: true, force: true })
  }
}

/** The client, bundled for a Worker. */
async function goInWorker(): Promise<void> {
  const { origin, rpcUrl, apiKey } = await startVouch()
  const [install] = quickStart()
  const made = checkout()
  try {
    await runAsync(["bash", "-ec", install!.code], { cwd: made.folder, env: environment(findNode20()) })
    const bindings = { KEY: apiKey, ORIGIN: origin, RPC_URL: rpcUrl, WALLET: newSigningWallet().address }
    const port = await freePorts(1)
    const answer = await askWorker(join(made.projects, "try-vouch"), { port, bindings })
    const { events, ...said } = answer as { events: number[] }
    assert.deepEqual(said, { status: "verified", minted: "confirmed", verified: true, forged: "refused" })
    assert.deepEqual(
      events,
      events.map((_, at) => at + 1),
    )
  } finally {
    rmSync(made.projects, { recursive: true, force: true })
  }
}

/**
 * Generates, builds and installs the Python client in an empty environment, from a wheel built from the source
 * distribution.
 */
async function python(dir: string): Promise<void> {
  const { origin, apiKey } = await startVouch()
  const source = join(dir, "client", "python")
  cpSync(join(root, "client", "python"), source, { recursive: true })
  cpSync(join(root, "openapi.yaml"), join(dir, "openapi.yaml"))
  const venv = (name: string) => {
    run(dir, "python3", "-m", "venv", name)
    return join(dir, name, "bin", "python")
  }
  const builder = venv("builder")
  run(dir, builder, "-m", "pip", "install", "--quiet", "openapi-python-client==0.29.1", "build==1.3.0")
  run(source, builder, "generate.py")
  run(source, builder, "-m", "build", "--outdir", join(dir, "dist"))
  const [wheel] = globSync(join(dir, "dist", "*.whl"))
  const user = venv("user")
  run(dir, user, "-m", "pip", "install", "--quiet", wheel!)
  const program = join(import.meta.dirname, "vouch.py")
  const samples = join(dir, "samples.json")
  const codes = reference().tags.flatMap((tag) =>
    tag.endpoints.flatMap((endpoint) => samplesOf(tag, endpoint).filter(({ language }) => language === "Python")),
  )
  writeFileSync(samples, JSON.stringify(codes.map(({ code }) => code)))
  run(dir, user, program, origin, apiKey, samples)
}

/** Vouch's own clients, tried with a server started as a newcomer would. */
export const ownClients: Client[] = [
  { name: "vouch-client", needs: ["npm", "bash"], make: (dir) => goQuickStart(dir, "node ") },
  {
    name: "vouch-client-bun",
    needs: ["npm", "bash"],
    make: (dir) => goQuickStart(dir, "npm_config_offline=false npx --yes bun@1 "),
  },
  {
    name: "vouch-client-deno",
    needs: ["npm", "bash"],
    make: (dir) => goQuickStart(dir, "npm_config_offline=false npx --yes deno@2 run --allow-all "),
  },
  { name: "vouch-client-workers", needs: ["npm", "bash"], make: goInWorker },
  { name: "vouch-client-python", needs: ["python3"], make: python },
]
