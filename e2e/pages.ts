import { randomBytes } from "node:crypto"
import { Keypair } from "@solana/web3.js"
import { type Customer, section } from "./dashboard.ts"
import { expect } from "./support.ts"

/** Every page, by the name that its screenshot has. */
export const pageNames = [
  "overview",
  "attestations",
  "attestation",
  "sessions",
  "tokens",
  "token",
  "operation",
  "keys",
  "logs",
  "request",
  "schemas",
  "developers",
  "audit",
  "settings",
  "settings-account",
  "settings-workspace",
  "hosted-page",
  "docs",
  "reference",
  "errors",
  "error",
] as const
export type PageName = (typeof pageNames)[number]

/** A customer with something on every page. */
export type Furnished = { pages: Record<PageName, string> }

const origin = () => `http://localhost:${process.env.PORT}`

/** Fills the customer's test workspace as a few days of business would, through the API. */
export async function furnish(customer: Customer): Promise<Furnished> {
  const call = async (method: "GET" | "POST", path: string, body?: unknown) => {
    const response = await fetch(`${origin()}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${customer.apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, id: response.headers.get("x-request-id")!, json: await response.json() }
  }
  const submit = (sessionId: string, decision: string) =>
    fetch(`${origin()}/api/trpc/verification.submit`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        sessionId,
        consent: true,
        country: "US",
        ageOver18: true,
        accredited: true,
        decision,
      }),
    })
  const start = async (externalId: string, decision: string | null) => {
    const wallet = Keypair.generate().publicKey.toBase58()
    const { json } = await call("POST", "/kyc/start", {
      userPubkey: wallet,
      schemaId: "kyc_individual_v1",
      externalId,
    })
    if (decision !== null) await submit(json.session_id, decision)
    return { wallet, url: json.session_url as string }
  }
  const run = randomBytes(3).toString("hex")
  const verified: string[] = []
  for (let n = 1; n <= 6; n++) verified.push((await start(`investor-${run}-${n}`, "approved")).wallet)
  await start(`investor-${run}-7`, "rejected")
  await start(`investor-${run}-8`, "in_review")
  const { url } = await start(`investor-${run}-9`, null)
  for (const wallet of verified) {
    await expect
      .poll(async () => (await call("GET", `/kyc/status/${wallet}`)).json.status, { timeout: 30_000 })
      .toBe("verified")
  }
  const fund = "us_real_estate_fund_v1"
  for (const [n, wallet] of verified.slice(0, 4).entries()) {
    const amount = String(1000 * (n + 1))
    await call("POST", "/token/mint", { user_pubkey: wallet, mint_config: fund, amount })
  }
  const transfer = { from_pubkey: verified[0], to_pubkey: verified[1], mint_config: fund, amount: "250.5" }
  const { json: operation } = await call("POST", "/token/transfer", transfer)
  const refused = await call("POST", "/token/mint", {
    user_pubkey: Keypair.generate().publicKey.toBase58(),
    mint_config: fund,
    amount: "1",
  })
  const { json: attestation } = await call("GET", `/kyc/status/${verified[0]}`)
  const at = (path: string) => section(customer, path)
  return {
    pages: {
      overview: at("overview"),
      attestations: at("attestations"),
      attestation: at(`attestations/${attestation.attestation_id}`),
      sessions: at("sessions"),
      tokens: at("tokens"),
      token: at(`tokens/${fund}`),
      operation: at(`tokens/${fund}/operations/${operation.operation_id}`),
      keys: at("keys"),
      logs: at("logs"),
      request: at(`logs/${refused.id}`),
      schemas: at("schemas"),
      developers: at("developers"),
      audit: at("audit"),
      settings: at("settings"),
      "settings-account": at("settings?part=account"),
      "settings-workspace": at("settings?part=workspace"),
      "hosted-page": new URL(url).pathname,
      docs: "/docs",
      reference: "/docs/api",
      errors: "/docs/errors",
      error: "/docs/errors/wallet_not_verified",
    },
  }
}
