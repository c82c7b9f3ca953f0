import { sql } from "#db/client.ts"
import type { Account } from "#server/domain/accounts/create.ts"
import { newWallet, type TestApp, type TestKey } from "./app.ts"
import type { Browser } from "./people.ts"
import { member } from "./people.ts"

/** An account with two who decide reviews and one who does not, and a key of its test workspace. */
export async function reviewTeam(app: TestApp) {
  const owner = await member(app)
  const { account } = owner
  const officer = await member(app, { role: "compliance", account })
  const second = await member(app, { role: "compliance", account })
  const key = await app.key({ account })
  return { account, key, owner: owner.browser, officer: officer.browser, second: second.browser }
}

/** A session that its vendor has left in review, and the review. */
export async function vendorReview(
  app: TestApp,
  key: TestKey,
  { claims = {}, reason }: { claims?: Record<string, unknown>; reason?: string } = {},
) {
  const { wallet, sessionId } = await app.startSession(key)
  const event = { session_id: sessionId, decision: "in_review", claims, ...(reason && { reason }) }
  const { status } = await app.webhook(event)
  if (status !== 200) throw new Error(`the webhook answered ${status}`)
  const [row] = await sql<{ id: string; attestation_id: string }[]>`
    select id, attestation_id from reviews where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
  return { wallet, sessionId, reviewId: row!.id, attestationId: row!.attestation_id }
}

export const requireFourEyes = ({ id }: Account) => sql`update accounts set four_eyes = true where id = ${id}`

/** Decides as a person does who has the page open. */
export async function decide(browser: Browser, reviewId: string, decision: Record<string, unknown>) {
  const { data } = await browser.query("review.get", { review_id: reviewId })
  const { version } = data
  return browser.mutate("review.decide", {
    review_id: reviewId,
    version,
    reason: "Checked by hand",
    ...decision,
  })
}

/** A session that its vendor rejected and then approved, and the review of that. */
export async function reversalReview(app: TestApp, key: TestKey, externalId?: string, wallet = newWallet()) {
  const json = { userPubkey: wallet, schemaId: "kyc_individual_v1", ...(externalId && { externalId }) }
  const started = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  const sessionId = started.json.session_id as string
  const say = async (decision: string, minutesAgo: number, claims = {}) => {
    const occurred_at = new Date(Date.now() - minutesAgo * 60_000).toISOString()
    return (await app.webhook({ session_id: sessionId, decision, occurred_at, claims })).json
      .outcome as string
  }
  await say("rejected", 30)
  const outcome = await say("approved", 20, { country: "US" })
  const [row] = await sql<{ id: string; attestation_id: string }[]>`
    select id, attestation_id from reviews
    where workspace_id = ${key.workspaceId} and wallet = ${wallet} and kind = 'reversal'`
  return { wallet, sessionId, say, outcome, reviewId: row!.id, attestationId: row!.attestation_id }
}
