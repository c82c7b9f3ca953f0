import { readFileSync, statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { open } from "#db/client.ts"
import type { Server, Stage } from "./stage.ts"
import { newWallet, randomText } from "./wallets.ts"

const WALLETS = 50

/**
 * Checks that the baseline is comparable: it answers like the server, and the database's log shows that it sends only
 * statements that the server sends, word for word. Throws if a copy is out of date.
 */
export async function checkFairness(stage: Stage, bare: Server, vouch: Server): Promise<void> {
  for (let n = 0; n < WALLETS; n++) {
    const { apiKey, wallets } = stage.customers[n % stage.customers.length]!
    const wallet = wallets[Math.floor(Math.random() * wallets.length)]!
    const [a, b] = await Promise.all([askStatus(bare, apiKey, wallet), askStatus(vouch, apiKey, wallet)])
    if (!isDeepStrictEqual(a, b)) {
      throw new Error(`For ${wallet}, bare answers ${JSON.stringify(a)} and vouch ${JSON.stringify(b)}`)
    }
  }
  const bareStatements = await statementsOf(stage, "bare", bare)
  const vouchStatements = await statementsOf(stage, "vouch", vouch)
  for (const statement of bareStatements) {
    if (!vouchStatements.has(statement))
      throw new Error(`The server does not send this statement. Update its copy in bench/bare.ts.\n${statement}`)
  }
}

async function askStatus({ port }: Server, apiKey: string, wallet: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/kyc/status/${wallet}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  return response.json()
}

async function askStart({ port }: Server, apiKey: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/kyc/start`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ userPubkey: newWallet(), schemaId: "kyc_individual_v1" }),
  })
  const { session_id, session_url, ...rest } = (await response.json()) as Record<string, string>
  if (!session_id || !session_url?.endsWith(`/verify/${session_id}`) || Object.keys(rest).length > 0) {
    throw new Error(`POST /kyc/start answered ${response.status} without a session`)
  }
}

/** The statements that one request of each kind ran in the database, without white space and order. */
async function statementsOf(stage: Stage, application: string, server: Server): Promise<Set<string>> {
  const admin = open(stage.databaseUrl, 1)
  const from = statSync(stage.postgresLog).size
  try {
    await admin`alter system set log_line_prefix = '%a> '`
    await admin`alter system set log_statement = 'all'`
    await admin`alter system set log_parameter_max_length = 0`
    await admin`select pg_reload_conf()`
    await sleep(300)
    const { apiKey, wallets } = stage.customers[0]!
    // Longer than keys are cached, so that the lookup of the key is logged too.
    await sleep(4500)
    await askStatus(server, apiKey, wallets[0]!)
    await askStart(server, apiKey, {})
    await askStart(server, apiKey, { "idempotency-key": randomText(32) })
    await admin`alter system reset all`
    await admin`select pg_reload_conf()`
    await sleep(300)
  } finally {
    await admin.end()
  }
  const log = readFileSync(stage.postgresLog).subarray(from).toString()
  const entries = log.split(/^(?=\S*> LOG: )/m).filter((entry) => entry.startsWith(`${application}> `))
  const statements = entries.map((entry) => /LOG: {2}execute [^:]+: ([\s\S]*)/.exec(entry)?.[1] ?? "")
  return new Set(statements.map(withoutSpace).filter((text) => text !== ""))
}

/** A statement's text without line breaks, because fragments are on separate lines only in the server's source. */
const withoutSpace = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/\( | \)/g, (space) => space.trim())
    .trim()
