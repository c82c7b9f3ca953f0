import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Runs a `vouch` command next to the server and returns its JSON. */
export const vouch = <T>(...args: string[]): Promise<T> => run<T>(process.env, args)

async function run<T>(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<T> {
  const command = ["server/cli.ts", ...args, "--json"]
  // The command line refuses unknown settings, such as those of a provider's double.
  const known = { ...env }
  for (const name of Object.keys(known)) if (name.includes("EXAMPLEID")) delete known[name]
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: known })
  return JSON.parse(stdout) as T
}

/** A key of an account, which is created if it does not exist. `env` selects a separate server. */
export async function createKey(account: string, env = process.env, mode: "live" | "test" = "test"): Promise<string> {
  const args = ["key", "create", "--account", account, "--create", "--mode", mode]
  return (await run<{ api_key: string }>(env, args)).api_key
}
