import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Connection, Keypair } from "@solana/web3.js"
import { symbols } from "pino"
import { Webhook } from "standardwebhooks"
import { createAccount } from "#server/domain/accounts/create.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import type { PlanName } from "#server/domain/accounts/plans.ts"
import type { ProviderDefinition } from "#server/domain/kyc/providers/provider.ts"
import { providers as allProviders } from "#server/domain/kyc/providers/table.ts"
import { newId } from "#server/lib/ids.ts"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import { parseSettings } from "#server/settings/env.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { type Keys, localKeys } from "#server/solana/keys.ts"
import { start } from "#server/start/start.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import { allScopes, type Scope } from "#shared/scopes.ts"
import { waitForPassesOf } from "./clock.ts"
import { createTestDatabase } from "./database.ts"
import { type Response, type Sent, send } from "./http.ts"
import { assertDocumented } from "./openapi-validator.ts"
import { patienceMs, startTestChain } from "./test-chain.ts"
import { forbidChainInTransactions, forbidSigningInTransactions } from "./transactions.ts"

export const webhookSecret = `whsec_${randomBytes(32).toString("base64")}`

export type TestKey = { apiKey: string; keyId: string; workspaceId: string; mode: Mode }

export type VerificationEvent = {
  session_id: string
  decision: string
  occurred_at?: string
  claims?: Record<string, unknown>
  reason?: string
  public_reason?: unknown
}

/** The whole server, in this process, on a database and a chain of its own. One to a test file. */
export type TestApp = Awaited<ReturnType<typeof startTestApp>>

/** How long a wallet's way may take, where forty go it at once on a loaded machine. */
const PATIENCE_MS = 50_000

export async function startTestApp(
  environment: Record<string, string> = {},
  /** Puts something between the server and its database, such as a proxy that can be cut. */
  between: (databaseUrl: string) => Promise<string> | string = (url) => url,
  /** What signs, where it is not the keys of the secret. */
  keysOf: (secret: Uint8Array) => Keys = localKeys,
  /** The KYC providers that there are. */
  providers: readonly ProviderDefinition[] = allProviders,
) {
  const log = captureLog()
  const database = await createTestDatabase()
  const { VOUCH_LOCALNET_SLOT_MS: slotMs } = environment
  const chain = await startTestChain(slotMs === undefined ? {} : { slotMs: Number(slotMs) })
  const port = await freePort()
  const settings = parseSettings({
    PORT: String(port),
    VOUCH_SIGNER: randomBytes(32).toString("base64"),
    VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
    VOUCH_WEBHOOK_SECRET: webhookSecret,
    VOUCH_RATE_LIMIT: "0",
    VOUCH_LOCALNET_SLOT_MS: String(chain.slotMs),
    ...environment,
  })
  const running = await start({
    settings,
    databaseUrl: await between(database.url),
    localnetUrl: chain.url,
    providers,
    pages: async (_request, response) => void response.writeHead(404).end(),
    keysOf: (secret) => forbidSigningInTransactions(keysOf(secret)),
  })
  const isStopped = waitForPassesOf(running)
  const calledInTransactions = forbidChainInTransactions()
  const origin = `http://127.0.0.1:${port}`
  const ask = async (sent: Sent): Promise<Response> => {
    const response = await send(origin, sent)
    assertDocumented(sent.method, sent.path, response)
    return response
  }

  return {
    origin,
    metricsPort: running.metricsPort,
    settings,
    /** Resolves when what the server's workers have begun by now, beside requests, has ended. */
    passesEnded: () => running.passesEnded(),
    /** The database itself, without the pooler. */
    databaseUrl: database.url,
    /** Every line that the server logged, from the most talkative level on. */
    log,
    /** What goes wrong with the chain, where it is not one of its own. */
    chain,
    /** The chain itself, without the server. */
    connection: settings.SOLANA_RPC_URL
      ? new Connection(settings.SOLANA_RPC_URL[0]!, "confirmed")
      : chain.connection,

    /** A request below /v1. Every answer is compared with the OpenAPI document. */
    request: ask,

    /** A key of a new account (or of one made before), with every scope unless told otherwise. */
    async key({
      mode = "test",
      plan = "free",
      quota = null,
      scopes = allScopes,
      expiresAt = null,
      account,
    }: {
      mode?: Mode
      plan?: PlanName
      quota?: number | null
      scopes?: Scope[]
      expiresAt?: Date | null
      account?: Awaited<ReturnType<typeof createAccount>>
    } = {}): Promise<TestKey> {
      const { workspaces } =
        account ?? (await createAccount({ name: `Account ${newId("acct")}`, plan, quota }))
      const workspaceId = workspaces[mode]
      const key = await createKey({ workspaceId, mode, name: "test", scopes, expiresAt })
      return { ...key, workspaceId, mode }
    },

    /** A webhook of the provider, signed as it signs. */
    async webhook(
      event: VerificationEvent,
      { id = newId("evt"), path = "/kyc/webhook", secret = webhookSecret } = {},
    ): Promise<Response> {
      const data = { occurred_at: clock.now().toISOString(), claims: {}, ...event }
      const body = JSON.stringify({ type: "verification.completed", data })
      return ask({ method: "POST", path, headers: signWebhook(id, body, { secret }), body })
    },

    /** Starts a verification of a wallet; the answer must be a session. */
    async startSession(key: TestKey, wallet = newWallet(), schemaId = "kyc_individual_v1") {
      const { status, json } = await ask({
        method: "POST",
        path: "/kyc/start",
        key: key.apiKey,
        json: { userPubkey: wallet, schemaId },
      })
      if (status !== 200) throw new Error(`kyc/start answered ${status}: ${JSON.stringify(json)}`)
      return { wallet, sessionId: json.session_id as string }
    },

    /** A wallet's status, polled until it is as wanted. */
    async waitForStatus(key: TestKey, wallet: string, wanted: string) {
      const isThere = async () => {
        const { json } = await ask({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })
        return json.status === wanted ? json : null
      }
      return waitFor(isThere, `${wallet} to be ${wanted}`, PATIENCE_MS)
    },

    /** A wallet that went all the way: started, approved, confirmed on chain. */
    async verifiedWallet(
      key: TestKey,
      wallet = newWallet(),
      claims: Record<string, unknown> = { country: "US" },
    ) {
      const { sessionId } = await this.startSession(key, wallet)
      await this.webhook({ session_id: sessionId, decision: "approved", claims })
      return { wallet, sessionId, status: await this.waitForStatus(key, wallet, "verified") }
    },

    /** Tells the chain to misbehave; an empty object makes it behave again. */
    faults: chain.faults,

    async stop(): Promise<void> {
      await running.stop()
      isStopped()
      await chain.close()
      // Taken out: the next file of this process begins with none.
      const [called] = calledInTransactions.splice(0)
      if (called !== undefined) throw new Error(called)
      refuseSecrets(log, [settings.VOUCH_SIGNER!, settings.VOUCH_DATA_KEY!])
    },
  }
}

export const newWallet = (): Address => addressOf(Keypair.generate().publicKey)

// API keys, session ids, webhooks' secrets and signatures.
const SECRETS = [
  /vouch_(live|test)_[0-9A-Za-z]{39}/,
  /sess_[1-9A-HJ-NP-Za-km-z]{16}/,
  /whsec_/,
  /v1,[0-9A-Za-z+/]{40}/,
]

/** Whatever a test did, no line of the log may hold what opens anything. */
function refuseSecrets(log: readonly string[], own: readonly string[]): void {
  const line = log.find(
    (one) => SECRETS.some((secret) => secret.test(one)) || own.some((secret) => one.includes(secret)),
  )
  if (line !== undefined) throw new Error(`A secret reached the log: ${line}`)
}

/** Collects what this process logs from now on, instead of showing it. */
function captureLog(): string[] {
  const lines: string[] = []
  const open = logger as unknown as Record<symbol, unknown>
  open[symbols.streamSym] = { write: (line: string) => void lines.push(line) }
  logger.level = "trace"
  return lines
}

/** The headers of Standard Webhooks for a body. */
export function signWebhook(id: string, body: string, { secret = webhookSecret, at = new Date() } = {}) {
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  }
}

/** Asks again and again until there is an answer; it fails loudly, and no test measures how long it took. */
export async function waitFor<T>(
  ask: () => Promise<T | null | false>,
  what: string,
  timeoutMs = 20_000,
): Promise<T> {
  const end = Date.now() + patienceMs(timeoutMs)
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== false) return answer
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
