import { sql } from "#db/client.ts"
import { createInvitation } from "#server/domain/people/invitations.ts"
import { newId } from "#server/lib/ids.ts"
import type { DashboardErrorCode } from "#shared/errors.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { newWallet, type TestApp } from "../fixtures/app.ts"
import { requireApproval } from "../fixtures/approvals.ts"
import { Browser, member, PASSWORD } from "../fixtures/people.ts"
import { decide, requireReviewApproval, reviewTeam, vendorReview } from "../fixtures/reviews.ts"
import { done, type Example, SCHEMA, type Scenario } from "./example.ts"

/** Mail settings that lead nowhere. */
export const dashboardSettings = {
  VOUCH_ROLE: "web",
  VOUCH_SMTP_URL: "smtp://127.0.0.1:9",
  VOUCH_MAIL_FROM: "Vouch <vouch@example.com>",
}

/** Fields whose value is a secret. */
const SECRET = { token: "<TOKEN>", password: "<PASSWORD>" }

/** A page's request, and the error in the body of the response. */
async function page(
  browser: Browser,
  procedure: string,
  json: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Example> {
  const { status, error } = await browser.mutate(procedure, json, headers)
  const shown = Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, SECRET[name as keyof typeof SECRET] ?? value]),
  )
  return {
    sent: { method: "POST", path: `/api/trpc/${procedure}`, headers, json: shown },
    response: { status, json: error },
  }
}

/** The same for a page that only reads. */
async function read(browser: Browser, procedure: string, input: object): Promise<Example> {
  const { status, error } = await browser.query(procedure, input)
  return {
    sent: { method: "GET", path: `/api/trpc/${procedure}?input=${JSON.stringify(input)}` },
    response: { status, json: error },
  }
}

const byOwner =
  (procedure: string, json: Record<string, unknown>): Scenario =>
  async (app) =>
    page((await member(app)).browser, procedure, json)

const asks =
  (procedure: string, input: object): Scenario =>
  async (app) =>
    read((await member(app)).browser, procedure, input)

const tokenOf = (link: string) => new URL(link).searchParams.get("token")!

/** The token of a link that was mailed to an address. */
async function invited(account: { id: string }, email: string, invitedBy: string): Promise<string> {
  const { link } = await createInvitation(sql, {
    accountId: account.id,
    role: "viewer",
    email,
    invitedBy,
    mailed: true,
  })
  return tokenOf(link)
}

/** A session that requires proof of the wallet. */
async function toProve(app: TestApp): Promise<string> {
  const key = await app.key()
  const json = { wallet_proof: true }
  await done(app, { method: "PATCH", path: `/schema/${SCHEMA}`, key: key.apiKey, json })
  return (await app.startSession(key)).sessionId
}

const idOf = async (browser: Browser): Promise<string> => (await browser.query("me.get")).data.user.id

/** Errors that only the dashboard and the investors' pages get. */
export const dashboard: Record<DashboardErrorCode, Scenario> = {
  not_signed_in: (app) => page(new Browser(app), "key.revoke", { key_id: newId("key") }),
  cross_site_request: async (app) =>
    page((await member(app)).browser, "member.invite", { role: "viewer" }, { origin: "https://other.example" }),
  workspace_not_found: async (app) => {
    const { browser } = await member(app)
    browser.workspaceId = newId("ws")
    return page(browser, "key.revoke", { key_id: newId("key") })
  },
  second_factor_required: byOwner("workspace.requireSecondFactor", { required: true }),
  second_person_required: async (app) => {
    const { account, key, officer } = await reviewTeam(app)
    await requireReviewApproval(account)
    const { reviewId } = await vendorReview(app, key, { claims: { country: "US" } })
    const { approvalId: approval_id } = (await decide(officer, reviewId, { decision: "approve" })).error
    const { digest } = (await officer.query("approval.detail", { id: approval_id })).data
    return page(officer, "approval.approve", { approval_id, digest })
  },
  awaiting_approval: async (app) => {
    const { account, owner } = await reviewTeam(app)
    await requireApproval(account, ["unfreeze"])
    const json = { user_pubkey: newWallet(), ...grounds }
    await owner.mutate("token.freeze", json)
    return page(owner, "token.unfreeze", json)
  },
  bulk_revocation_not_found: byOwner("bulkRevocation.cancel", { id: newId("blk") }),
  too_many_bulk_revocations: async (app) => {
    const { browser, account } = await member(app)
    const { apiKey: key, ...rest } = await app.key({ account })
    const start = async () => {
      const { sessionId } = await app.startSession({ apiKey: key, ...rest })
      const { attestation_id } = await done(app, { method: "GET", path: `/kyc/session/${sessionId}`, key })
      const json = { attestation_ids: [attestation_id], reason: "Left the fund" }
      return page(browser, "bulkRevocation.start", json)
    }
    for (let n = 0; n < 3; n++) await start()
    return start()
  },
  selection_changed: async (app) => {
    const { key, officer, second } = await reviewTeam(app)
    const { reviewId } = await vendorReview(app, key)
    const { rows } = (await officer.query("review.matching", {})).data
    await decide(second, reviewId, { decision: "reject" })
    return page(officer, "review.assignMatching", { filter: {}, rows, assignee: null })
  },
  review_not_found: asks("review.get", { review_id: newId("rev") }),
  review_changed: async (app) => {
    const { key, officer, second } = await reviewTeam(app)
    const { reviewId: review_id } = await vendorReview(app, key)
    const { version } = (await officer.query("review.get", { review_id })).data
    await decide(second, review_id, { decision: "reject" })
    return page(officer, "review.decide", {
      review_id,
      version,
      reason: "Checked by hand",
      decision: "approve",
    })
  },
  saved_filter_not_found: byOwner("savedFilter.rename", { id: newId("flt"), name: "Expiring soon" }),
  member_not_found: async (app) => {
    const [{ browser }, stranger] = [await member(app), await member(app)]
    return page(browser, "member.remove", { user_id: await idOf(stranger.browser) })
  },
  invitation_limit: async (app) => {
    const { browser, account } = await member(app)
    await sql`
      insert into invitations (account_id, id, token_hash, role, created_at, expires_at)
      select ${account.id}, 'example ' || n, sha256(('example ' || n)::bytea), 'viewer', now(), now() + interval '1 day'
      from generate_series(1, 100) n`
    return page(browser, "member.invite", { role: "viewer" })
  },
  invalid_link: byOwner("setup.join", { token: "x".repeat(43) }),
  note_not_found: byOwner("investor.editNote", { note_id: newId("note"), text: "Called back." }),
  key_not_found: byOwner("key.revoke", { key_id: newId("key") }),
  api_key_limit: async (app) => {
    const { browser, workspaceId } = await member(app)
    await sql`
      insert into api_keys (workspace_id, id, name, scopes, created_at)
      select ${workspaceId}, 'key_' || n, 'one of many', '{}', now() from generate_series(1, 500) n`
    return page(browser, "key.create", { name: "Backend", scopes: ["kyc:read"] })
  },
  request_not_found: asks("request.get", { request_id: newId("req") }),
  email_unconfirmed: async (app) => {
    const { browser } = await member(app)
    const token = tokenOf((await browser.mutate("member.invite", { role: "viewer" })).data.link)
    const person = { token, name: "Grace", email: "grace@example.com", password: PASSWORD }
    return page(new Browser(app), "setup.createUser", person)
  },
  email_taken: async (app) => {
    const [known, host] = [await member(app), await member(app)]
    const token = await invited(host.account, known.email, await idOf(host.browser))
    const person = { token, name: "Grace", email: known.email, password: PASSWORD }
    return page(new Browser(app), "setup.createUser", person)
  },
  account_exists: async (app) => {
    const [{ browser }, other] = [await member(app), await member(app)]
    return page(browser, "workspace.renameAccount", { name: other.account.name })
  },
  last_owner: async (app) => {
    const { browser } = await member(app)
    return page(browser, "member.remove", { user_id: await idOf(browser) })
  },
  wallet_proof_required: async (app) => {
    const form = { consent: true, country: "US", ageOver18: true, accredited: false, decision: "approved" }
    return page(new Browser(app), "verification.submit", { sessionId: await toProve(app), ...form })
  },
  wallet_proof_refused: async (app) => {
    const sessionId = await toProve(app)
    await app.webhook({ session_id: sessionId, decision: "rejected" })
    return page(new Browser(app), "verification.askForProof", { sessionId })
  },
  mail_failed: byOwner("member.invite", { role: "viewer", email: "grace@example.com" }),
}
