// `npm run cluster` runs everything that Vouch does on chain, on a named cluster or on its own validator.
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { join } from "node:path"

const HELP = `npm run cluster -- [--rpc <url>] [--calls-per-second <number>]
npm run cluster -- --server-tests [files]

Verifies wallets, issues credentials, mints, transfers, pauses, changes the mode of a token, renews, revokes and audits,
on the cluster behind --rpc or on a solana-test-validator (SOLANA_TEST_VALIDATOR, or on the PATH).

On a cluster the fee payer needs about 0.1 SOL. Without a faucet, the run prints the fee payer's address and waits until
you fund it. Set VOUCH_SIGNER (openssl rand -base64 32) to keep the same address between runs.
The default is 10 calls per second, because public endpoints allow few.

--server-tests runs the server's tests on one solana-test-validator. Files and other options go to Vitest.
test/run/on-validator.ts lists the tests that need the local network.`

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
if (process.argv[2] === "--server-tests")
  test(["validator", ...process.argv.slice(3)], { VOUCH_TESTS_ON_VALIDATOR: "all" })

/** @type {Record<string, string>} */
const given = {}
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift() ?? ""
  const [, name = "", inline] = /^--(rpc|calls-per-second)(?:=(.+))?$/.exec(arg) ?? []
  if (arg === "--help") {
    console.log(HELP)
    process.exit(0)
  }
  const value = inline ?? (name ? args.shift() : undefined)
  if (!name || !value) {
    console.error(`${name ? `--${name} needs a value` : `Unknown option ${JSON.stringify(arg)}`}.\n\n${HELP}`)
    process.exit(2)
  }
  given[name] = value
}
if (given.rpc !== undefined && !/^https?:\/\/[^/@]+(\/|$)/.test(given.rpc)) {
  console.error(`--rpc must be an address such as https://api.devnet.solana.com, not ${given.rpc}.`)
  process.exit(2)
}

/** @type {NodeJS.ProcessEnv} */
const env = {}
if (given.rpc !== undefined) {
  env.VOUCH_CLUSTER_RPC_URL = given.rpc
  env.VOUCH_RPC_CALLS_PER_SECOND = given["calls-per-second"] ?? "10"
  env.VOUCH_SIGNER = process.env.VOUCH_SIGNER ?? randomBytes(32).toString("base64")
}
test(["cluster", "test/cluster/journey.test.ts"], env)

/**
 * Runs a project's tests and exits with their status.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function test(args, env) {
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "test.mjs"), "--project", ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  })
  process.exit(status ?? 1)
}
