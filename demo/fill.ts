import { setTimeout as sleep } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import { type Operation, type RequestOptions, Vouch } from "#client/index.ts"
import * as company from "./company.ts"

type Filling = {
  origin: string
  apiKey: string
  /** A key that may only read, whose writes are refused. */
  readingKey: string
  webhookSecret: string
  /** Where a receiver accepts events, and where none listens. */
  receivers: { working: string; failing: string }
  note: (progress: string) => void
}

/** How many investors are verified at the same time. */
const AT_ONCE = 6
const DAY_MS = 24 * 3_600_000

/** Repeating it, also after an interruption, changes nothing twice. */
const once = (...step: string[]): RequestOptions => ({ idempotencyKey: ["demo", ...step].join(":") })

/** Fills a test workspace through the API as a company's own server would. Can be repeated within 24 hours. */
export async function fill({ origin, apiKey, readingKey, webhookSecret, receivers, note }: Filling): Promise<void> {
  const vouch = new Vouch({ baseUrl: origin, apiKey })

  note("webhook endpoints")
  const types = ["attestation.verified" as const, "attestation.rejected" as const]
  await vouch.createWebhookEndpoint({ url: receivers.working, description: "Investor portal" }, once("portal"))
  await vouch.createWebhookEndpoint({ url: receivers.failing, description: "Ledger service", types }, once("ledger"))

  let done = 0
  const all = [...company.investors, ...company.secondWallets]
  const queue = all.values()
  const verifyNext = async () => {
    for (const one of queue) {
      await verify(one)
      note(`${++done} of ${all.length} investors`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, verifyNext))

  note("tokens")
  for (const token of company.tokens) await vouch.waitFor(vouch.createMintConfig(token, once("token", token.id)))
  const begun: Operation[] = []
  for (const [n, { wallet, ...mint }] of company.mints.entries()) {
    const options = { ...once("mint", String(n)), respondAsync: true }
    begun.push(await vouch.mintTokens({ user_pubkey: wallet, ...mint }, options))
  }
  let confirmed = 0
  const waitFor = (operation: Operation) =>
    vouch.waitFor(operation).then(() => note(`${++confirmed} of ${begun.length} mints`))
  await Promise.all(begun.map(waitFor))

  note("transfers")
  for (const { from, to, ...transfer } of company.transfers) {
    const wallets = { from_pubkey: company.walletOf(from), to_pubkey: company.walletOf(to) }
    await vouch.waitFor(vouch.transferTokens({ ...wallets, ...transfer }, once("transfer", from, transfer.mint_config)))
  }

  note("redemption, hold, freeze and recovery")
  const income = { mint_config: company.INCOME }
  const of = (name: string) => ({ user_pubkey: company.walletOf(name), ...income })
  await vouch.waitFor(
    vouch.burnTokens(
      {
        ...{ ...of("mateo-garcia-1055"), amount: "400", reason_code: "redemption" },
        ...{ reference: "Redemption 2026-31", holder_consent: true },
      },
      once("redemption"),
    ),
  )
  await vouch.placeHold(
    { ...of("isabella-silva-1052"), amount: "1500", reason_code: "court_order", reference: "2026-CV-0417" },
    once("hold"),
  )
  await vouch.freezeWallet(
    { ...of("atlas-holdings-9"), reason_code: "regulator", reference: "FSA inquiry 118" },
    once("freeze"),
  )
  const { data: owners } = await vouch.listInvestors({ wallet: company.walletOf("anna-kowalska-1063") })
  await vouch.requestRecovery(
    {
      ...{ id: owners[0]!.investor_id, lost_wallet: company.walletOf("anna-kowalska-1063") },
      ...{ reason_code: "lost_wallet", reference: "Case 2026-118" },
    },
    once("recovery"),
  )
  const revoked = await vouch.getWalletStatus({ pubkey: company.walletOf("jan-de-vries-1060") })
  await vouch.revokeAttestation(
    { id: revoked.attestation_id, reason: "Moved to an unsupported country" },
    once("revoke"),
  )

  note("snapshot and distribution")
  await distribute()

  note("a request that needs a second person")
  const policy = { actions: ["mint" as const], min_amount: "100000", approvals: 1 }
  await vouch.createApprovalPolicy(policy, once("policy"))
  await vouch.mintTokens({ ...of("family-office-2"), amount: "180000" }, once("large-mint"))

  note("requests that are refused")
  await refusals()

  async function verify({ name, wallet, claims, decision }: company.Investor): Promise<void> {
    const begun = await vouch.startVerification(
      { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: name },
      once("start", wallet),
    )
    if (decision === "open") return
    const id = begun.session_id
    if (decision === "rejected") {
      await vouch.decideTestSession({ id, decision, claims }, once("decide", wallet))
    } else if ("inReview" in decision) {
      await report(id, { decision: "in_review", reason: decision.inReview, claims })
    } else {
      const occurredAt = new Date(Date.now() - decision.approvedDaysAgo * DAY_MS)
      await report(id, { decision: "approved", claims }, occurredAt)
      await vouch.waitForStatus({ pubkey: wallet })
    }
  }

  /** Reports what a provider decided, as its webhook does. */
  async function report(session_id: string, found: object, occurredAt = new Date()): Promise<void> {
    const at = new Date()
    const id = `evt_${session_id}`
    const data = { session_id, occurred_at: occurredAt.toISOString(), ...found }
    const body = JSON.stringify({ type: "verification.completed", data })
    const answer = await fetch(`${origin}/v1/kyc/webhook`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(webhookSecret).sign(id, at, body),
      },
      body,
    })
    if (!answer.ok) throw new Error(`The provider's report was refused: ${await answer.text()}`)
  }

  async function takeSnapshot(): Promise<string> {
    const {
      data: [known],
    } = await vouch.listSnapshots(income)
    if (known) return known.snapshot_id
    const now = Date.now()
    const lastMoment = async () => (await vouch.getRegister(income)).as_of.time
    let record_at = await lastMoment()
    for (; Date.parse(record_at) < now; record_at = await lastMoment()) await sleep(500)
    return (await vouch.createSnapshot({ ...income, record_at, name: "Record date Q3 2026" })).snapshot_id
  }

  async function distribute(): Promise<void> {
    const snapshot_id = await takeSnapshot()
    while ((await vouch.getSnapshot({ id: snapshot_id })).state !== "ready") await sleep(500)
    const payment = { settlement: "external" as const, total: "48250", reference: "Income Q3 2026" }
    const { distribution_id } = await vouch.createDistribution({ snapshot_id, ...payment }, once("distribution"))
    await vouch.startDistribution({ id: distribution_id }, once("start"))
    const { data: payouts } = await vouch.listPayouts({ id: distribution_id })
    for (const { payout_id } of payouts.slice(0, 8)) {
      const paid = { id: payout_id, external_reference: `SEPA 2026-10-04/${payout_id.slice(-4)}` }
      await vouch.markPayoutPaid(paid, once("paid", payout_id))
    }
  }

  /** What the chain, the rules and the scopes refuse: each is an entry in the request log. */
  async function refusals(): Promise<void> {
    const reading = new Vouch({ baseUrl: origin, apiKey: readingKey })
    const mint = (name: string, amount: string, by = vouch) =>
      by.mintTokens({ ...of(name), amount }, { ...once("refused", name, amount), maxRetries: 0 })
    const refused = await Promise.allSettled([
      mint("ethan-miller-1071", "250"),
      mint("daniel-okafor-1050", "250"),
      mint("liam-brown-1037", "250"),
      mint("summit-ventures-4", "600000"),
      mint("emma-larsson-1008", "10.005"),
      mint("emma-larsson-1008", "10", reading),
      vouch.getOperation({ id: "op_5tYw2Lc7HdZKx8vPq3mNbR" }, { maxRetries: 0 }),
    ])
    for (const one of refused)
      if (one.status === "fulfilled") throw new Error("A request that breaks a rule succeeded.")
  }
}
