import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Keypair } from "@solana/web3.js"
import { Webhook } from "standardwebhooks"
import { expect } from "./expect.ts"

export const origin = `http://localhost:${process.env.PORT}`

export const newWallet = (): string => Keypair.generate().publicKey.toBase58()

export type Session = { sessionId: string; url: string; wallet: string }

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
type Answer = { status: number; requestId: string; json: any }

/** What a customer does outside the browser. */
export type Api = ReturnType<typeof apiOf>

export function apiOf(apiKey: string, at = origin) {
  const send = async (method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${at}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { status, headers } = response
    return { status, requestId: headers.get("x-request-id")!, json: await response.json() }
  }
  const call = async (method: "GET" | "POST", path: string, body?: object) => {
    const { status, json } = await send(method, path, body)
    expect(status, JSON.stringify(json)).toBe(200)
    return json
  }
  /** Gets the status of a wallet. */
  const statusOf = (wallet: string): Promise<{ status: string; attestation_id: string; onchain_tx: string | null }> =>
    call("GET", `/kyc/status/${wallet}?schema=kyc_individual_v1`)
  const start = async (
    options: { redirectUrl?: string; externalId?: string } = {},
    wallet = newWallet(),
  ): Promise<Session> => {
    const body = { userPubkey: wallet, schemaId: "kyc_individual_v1", ...options }
    const { session_id, session_url } = await call("POST", "/kyc/start", body)
    return { sessionId: session_id, url: session_url, wallet }
  }

  return {
    /** Sends a request that may be refused. */
    send,
    /** Sends a request that must succeed, and returns its answer. */
    call,
    status: statusOf,
    /** Starts a session for a new wallet. */
    start,
    /** A new wallet, verified by the sandbox. */
    async verifiedWallet(options: { externalId?: string } = {}): Promise<{ wallet: string; id: string }> {
      const { wallet, sessionId } = await start(options)
      await decide(sessionId, "approved", at)
      await expect.poll(async () => (await statusOf(wallet)).status).toBe("verified")
      return { wallet, id: (await statusOf(wallet)).attestation_id }
    },
    revoke: (attestationId: string, reason: string): Promise<unknown> =>
      call("POST", `/attestation/${attestationId}/revoke`, { reason }),
  }
}

/** Sends the sandbox's form without a browser. */
export async function decide(sessionId: string, decision: string, at = origin, country = "US"): Promise<void> {
  const answers = { consent: true, country, ageOver18: true, accredited: true }
  const response = await fetch(`${at}/api/trpc/verification.submit`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId, decision, ...answers }),
  })
  expect(response.status).toBe(200)
}

type Report = { decision: string; reason: string; claims?: object }

/** Reports about a session as its vendor would, with a reason in the vendor's words. */
export async function report(sessionId: string, { claims = { country: "US" }, ...said }: Report): Promise<void> {
  const { VOUCH_WEBHOOK_SECRET } = JSON.parse(readFileSync(join(process.env.VOUCH_DATA_DIR!, "secrets.json"), "utf8"))
  const [id, at] = [`evt_${randomBytes(8).toString("hex")}`, new Date()]
  const data = { session_id: sessionId, occurred_at: at.toISOString(), claims, ...said }
  const body = JSON.stringify({ type: "verification.completed", data })
  const response = await fetch(`${origin}/v1/kyc/webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(VOUCH_WEBHOOK_SECRET).sign(id, at, body),
    },
    body,
  })
  expect(response.status, await response.text()).toBe(200)
}

/** A snapshot of a token's last final moment, once the token has this supply and the snapshot is ready. */
export async function snapshotOf({ call, send }: Api, mint_config: string, supply: string): Promise<string> {
  const register = () => call("GET", `/token/register/${mint_config}`)
  await expect.poll(async () => (await register()).supply).toBe(supply)
  const record_at = (await register()).as_of.time
  const { json } = await send("POST", "/snapshots", { mint_config, record_at, name: "Record date Q3 2026" })
  await expect.poll(async () => (await call("GET", `/snapshot/${json.snapshot_id}`)).state).toBe("ready")
  return json.snapshot_id
}
