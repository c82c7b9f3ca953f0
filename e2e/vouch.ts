import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Runs a command of `vouch` beside the server; returns its JSON. */
export async function vouch<T>(...args: string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, ["server/cli.ts", ...args, "--json"])
  return JSON.parse(stdout) as T
}

/** A test key of an account, which is made if there is none of the name. */
export async function createKey(account: string): Promise<string> {
  const args = ["key", "create", "--account", account, "--mode", "test"]
  return (await vouch<{ api_key: string }>(...args)).api_key
}
