import { randomBytes } from "node:crypto"
import { type Api, decide, newWallet, snapshotOf } from "./api.ts"
import { type Customer, createMember, reviewOf, section } from "./dashboard.ts"
import { expect } from "./support.ts"

/** Every page, by the name of its screenshot. */
export const pageNames = [
  "overview",
  "investors",
  "investor",
  "recovery",
  "attestations",
  "attestation",
  "sessions",
  "reviews",
  "review",
  "approvals",
  "approval",
  "tokens",
  "token",
  "register",
  "snapshots",
  "operation",
  "distributions",
  "new-distribution",
  "distribution",
  "keys",
  "events",
  "event",
  "webhooks",
  "webhook",
  "delivery",
  "logs",
  "request",
  "schemas",
  "schema",
  "developers",
  "audit",
  "settings",
  "settings-account",
  "settings-workspace",
  "settings-approvals",
  "settings-monitoring",
  "hosted-page",
  "docs",
  "guide",
  "document",
  "reference",
  "endpoint",
  "errors",
  "error",
] as const
type PageName = (typeof pageNames)[number]

/** The address of every page, each with content. */
export type Pages = Record<PageName, string>

/** Fills the customer's test workspace through the API, like a few days of business. */
export async function seed(customer: Customer): Promise<Pages> {
  const { api } = customer
  // No server listens there, so each attempt fails with a reason.
  const url = `http://127.0.0.1:9/${randomBytes(4).toString("hex")}`
  const endpoint = await api.call("POST", "/webhook-endpoints", { url, description: "Ledger service" })
  const start = async (externalId: string, decision: string | null) => {
    const session = await api.start({ externalId })
    if (decision !== null) await decide(session.sessionId, decision)
    return session
  }
  const run = randomBytes(3).toString("hex")
  const verified: string[] = []
  for (let n = 1; n <= 6; n++) verified.push((await start(`investor-${run}-${n}`, "approved")).wallet)
  await start(`investor-${run}-7`, "rejected")
  const left = await start(`investor-${run}-8`, "in_review")
  const { url: hosted } = await start(`investor-${run}-9`, null)
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
  await createMember(customer, "compliance")
  await api.call("POST", "/approval-policies", { actions: ["mint"], min_amount: "1000000", approvals: 1 })
  const large = { user_pubkey: verified[0], mint_config: fund, amount: "1000000" }
  const waiting = (await api.send("POST", "/token/mint", large)).json
  const attestation = await api.status(verified[0]!)
  const investor = await personOf(api, { name: `investor-${run}-1`, wallet: verified[0]!, fund })
  const review = await reviewOf(customer, left.wallet)
  const report = { lost_wallet: verified[3], reason_code: "lost_wallet", reference: "Case 2026-118" }
  const { data: owners } = await api.call("GET", `/investors?wallet=${verified[3]}`)
  const recovery = await api.call("POST", `/investor/${owners[0].investor_id}/recoveries`, report)
  const snapshot_id = await snapshotOf(api, fund, "10040")
  const about = { snapshot_id, settlement: "external", total: "1250", reference: "Dividend Q3 2026" }
  const distribution = await api.call("POST", "/distributions", about)
  await api.send("POST", `/distribution/${distribution.distribution_id}/start`, {})
  let event_id = ""
  await expect
    .poll(async () => {
      const path = `/webhook-endpoint/${endpoint.endpoint_id}/deliveries`
      const { data } = await api.call("GET", path)
      event_id = data.find(({ attempts }: { attempts: number }) => attempts > 0)?.event_id ?? ""
      return event_id
    })
    .not.toBe("")
  const at = (path: string) => section(customer, path)
  return {
    overview: at("overview"),
    investors: at("investors"),
    investor: at(`investors/${investor.investor_id}`),
    recovery: at(`recoveries/${recovery.recovery_id}`),
    attestations: at("attestations"),
    attestation: at(`attestations/${attestation.attestation_id}`),
    sessions: at("sessions"),
    reviews: at("reviews"),
    review: at(`reviews/${review}`),
    approvals: at("approvals"),
    approval: at(`approvals/${waiting.approval_id}`),
    tokens: at("tokens"),
    token: at(`tokens/${fund}`),
    register: at(`tokens/${fund}?tab=register`),
    snapshots: at(`tokens/${fund}?tab=snapshots`),
    operation: at(`tokens/${fund}/operations/${operation.operation_id}`),
    distributions: at("distributions"),
    "new-distribution": at("distributions/new"),
    distribution: at(`distributions/${distribution.distribution_id}`),
    keys: at("keys"),
    events: at("events"),
    event: at(`events/${event_id}`),
    webhooks: at("webhooks"),
    webhook: at(`webhooks/${endpoint.endpoint_id}`),
    delivery: at(`webhooks/${endpoint.endpoint_id}/${event_id}`),
    logs: at("logs"),
    request: at(`logs/${refused.requestId}`),
    schemas: at("schemas"),
    schema: at("schemas/kyc_individual_v1"),
    developers: at("developers"),
    audit: at("audit"),
    settings: at("settings"),
    "settings-account": at("settings?part=account"),
    "settings-workspace": at("settings?part=workspace"),
    "settings-approvals": at("settings?part=approvals"),
    "settings-monitoring": at("settings?part=monitoring"),
    "hosted-page": new URL(hosted).pathname,
    docs: "/docs",
    guide: "/docs/guides/events",
    document: "/docs/operations",
    reference: "/docs/api",
    endpoint: "/docs/api/createMintConfig",
    errors: "/docs/errors",
    error: "/docs/errors/wallet_not_verified",
  }
}

/** An investor with two wallets and entries in every list of their page. */
async function personOf(api: Api, { name, wallet, fund }: { name: string; wallet: string; fund: string }) {
  const second = await api.start({ externalId: name })
  await decide(second.sessionId, "approved")
  await expect.poll(async () => (await api.status(second.wallet)).status).toBe("verified")
  await api.call("POST", "/token/mint", { user_pubkey: second.wallet, mint_config: fund, amount: "40" })
  const unverified = await api.start({ externalId: name })
  await api.send("POST", "/token/mint", { user_pubkey: unverified.wallet, mint_config: fund, amount: "7" })
  const { data } = await api.call("GET", `/investors?wallet=${wallet}`)
  return data[0]
}
