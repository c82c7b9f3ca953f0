import { randomBytes } from "node:crypto"
import { decide, newWallet } from "./api.ts"
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

/** The address of every page, where there is something on each. */
export type Pages = Record<PageName, string>

/** Fills the customer's test workspace as a few days of business would, through the API. */
export async function seed(customer: Customer): Promise<Pages> {
  const { api } = customer
  const start = async (externalId: string, decision: string | null) => {
    const session = await api.start({ externalId })
    if (decision !== null) await decide(session.sessionId, decision)
    return session
  }
  const run = randomBytes(3).toString("hex")
  const verified: string[] = []
  for (let n = 1; n <= 6; n++) verified.push((await start(`investor-${run}-${n}`, "approved")).wallet)
  await start(`investor-${run}-7`, "rejected")
  await start(`investor-${run}-8`, "in_review")
  const { url } = await start(`investor-${run}-9`, null)
  for (const wallet of verified) {
    await expect.poll(async () => (await api.status(wallet)).status).toBe("verified")
  }
  const fund = "us_real_estate_fund_v1"
  for (const [n, wallet] of verified.slice(0, 4).entries()) {
    const amount = String(1000 * (n + 1))
    await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: fund, amount })
  }
  const transfer = { from_pubkey: verified[0], to_pubkey: verified[1], mint_config: fund, amount: "250.5" }
  const operation = await api.call("POST", "/token/transfer", transfer)
  const stranger = { user_pubkey: newWallet(), mint_config: fund, amount: "1" }
  const refused = await api.send("POST", "/token/mint", stranger)
  const attestation = await api.status(verified[0]!)
  const at = (path: string) => section(customer, path)
  return {
    overview: at("overview"),
    attestations: at("attestations"),
    attestation: at(`attestations/${attestation.attestation_id}`),
    sessions: at("sessions"),
    tokens: at("tokens"),
    token: at(`tokens/${fund}`),
    operation: at(`tokens/${fund}/operations/${operation.operation_id}`),
    keys: at("keys"),
    logs: at("logs"),
    request: at(`logs/${refused.requestId}`),
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
  }
}
