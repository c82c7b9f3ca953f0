import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { allRoles, type Role } from "#shared/roles.ts"
import { Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { appRouter } from "./router.ts"

// Who may call each procedure of the dashboard. A procedure that is missing here, or open to others, fails the test, so
// that no procedure is open by mistake.

type Who =
  /** Without signing in. */
  | "anybody"
  /** Any signed-in user, about themselves. */
  | "people"
  /** Members of the workspace's account, by role. */
  | readonly Role[]

const members: Who = ["owner", "developer", "compliance", "viewer"]
const allButViewers: Who = ["owner", "developer", "compliance"]
const builders: Who = ["owner", "developer"]
const officers: Who = ["owner", "compliance"]
const owners: Who = ["owner"]

const rights: Record<string, Who> = {
  "activity.changes": members,
  "approval.approve": officers,
  "approval.count": members,
  "approval.detail": members,
  "approval.get": members,
  "approval.list": members,
  "approval.reject": officers,
  "approval.search": members,
  "approval.withdraw": members,
  "approvalPolicy.change": builders,
  "approvalPolicy.create": builders,
  "approvalPolicy.list": builders,
  "approvalPolicy.overview": members,
  "approvalPolicy.remove": builders,
  "attestation.count": members,
  "attestation.detail": members,
  "attestation.get": members,
  "attestation.list": members,
  "attestation.revoke": allButViewers,
  "attestation.search": members,
  "attestation.verifyOnChain": members,
  "audit.list": members,
  "audit.proof": members,
  "bulkRevocation.cancel": allButViewers,
  "bulkRevocation.contents": members,
  "bulkRevocation.count": allButViewers,
  "bulkRevocation.get": members,
  "bulkRevocation.start": allButViewers,
  "bulkRevocation.upTo": allButViewers,
  "erasure.confirm": allButViewers,
  "erasure.get": allButViewers,
  "erasure.investor": allButViewers,
  "erasure.redactions": allButViewers,
  "erasure.wallet": allButViewers,
  "distribution.cancel": allButViewers,
  "distribution.countPaid": members,
  "distribution.create": allButViewers,
  "distribution.get": members,
  "distribution.list": members,
  "distribution.markable": allButViewers,
  "distribution.markManyPaid": allButViewers,
  "distribution.markPaid": allButViewers,
  "distribution.pause": allButViewers,
  "distribution.payout": members,
  "distribution.payouts": members,
  "distribution.preview": allButViewers,
  "distribution.release": allButViewers,
  "distribution.retry": allButViewers,
  "distribution.searchPayouts": members,
  "distribution.start": allButViewers,
  "event.list": members,
  "event.search": members,
  "event.view": members,
  "find.all": members,
  "find.named": members,
  "health.get": "anybody",
  "hold.execute": allButViewers,
  "hold.get": members,
  "hold.list": members,
  "hold.place": allButViewers,
  "hold.release": allButViewers,
  "hold.search": members,
  "investor.addNote": officers,
  "investor.count": members,
  "investor.deleteNote": officers,
  "investor.editNote": officers,
  "investor.get": members,
  "investor.list": members,
  "investor.notes": officers,
  "investor.operations": members,
  "investor.owners": members,
  "investor.pick": members,
  "investor.refusals": members,
  "investor.search": members,
  "investor.view": members,
  "investor.viewClaims": officers,
  "key.collect": builders,
  "key.create": builders,
  // Members get the answer that only a key can ask.
  "key.describe": members,
  "key.list": members,
  "key.options": builders,
  "key.revoke": builders,
  "key.rotate": builders,
  "key.usage": members,
  "kyc.start": builders,
  "kyc.status": members,
  "kyc.webhook": "anybody",
  "kyc.webhookOf": "anybody",
  "me.confirmEmail": "people",
  "me.endAllSignIns": "people",
  "me.endSignIn": "people",
  "me.get": "people",
  "me.mailConfirmation": "people",
  "me.rename": "people",
  "me.setTimeZone": "people",
  "me.signIns": "people",
  "member.admit": officers,
  "member.changeRole": owners,
  "member.invite": owners,
  "member.list": members,
  "member.muteNotifications": members,
  "member.notifications": members,
  "member.remove": owners,
  "member.revokeInvitation": owners,
  "member.revokeKeys": owners,
  "mintConfig.change": builders,
  "mintConfig.check": builders,
  "mintConfig.create": builders,
  "mintConfig.get": members,
  "mintConfig.list": members,
  "mintConfig.pause": builders,
  "mintConfig.save": builders,
  "mintConfig.unpause": builders,
  "mintConfig.view": members,
  "monitoring.change": officers,
  "monitoring.get": members,
  "overview.get": members,
  "recovery.cancel": allButViewers,
  "recovery.get": members,
  "recovery.list": members,
  "recovery.preview": members,
  "recovery.request": allButViewers,
  "recovery.view": members,
  "request.errors": members,
  "request.get": members,
  "request.list": members,
  "request.viewClaims": officers,
  "review.assign": officers,
  "review.assignMany": officers,
  "review.assignMatching": officers,
  "review.count": officers,
  "review.decide": officers,
  "review.get": officers,
  "review.list": officers,
  "review.matching": officers,
  "review.neighbours": officers,
  "review.note": officers,
  "review.reviewers": officers,
  "review.upTo": officers,
  "review.viewClaims": officers,
  "savedFilter.list": members,
  "savedFilter.remove": members,
  "savedFilter.rename": members,
  "savedFilter.save": members,
  "schema.change": builders,
  "schema.create": builders,
  "schema.get": members,
  "schema.list": members,
  "schema.summary": members,
  "schema.view": members,
  "session.cancel": builders,
  "session.decide": builders,
  "session.get": members,
  "session.list": members,
  "session.search": members,
  "session.view": members,
  "setup.createUser": "anybody",
  "setup.join": "people",
  "setup.look": "anybody",
  "setup.mailLink": "anybody",
  "setup.options": "anybody",
  "setup.requestReset": "anybody",
  "setup.resetPassword": "anybody",
  "snapshot.create": allButViewers,
  "snapshot.get": members,
  "snapshot.holders": members,
  "snapshot.holdersCsv": members,
  "snapshot.list": members,
  "token.balance": members,
  "token.balances": members,
  "token.burn": allButViewers,
  "token.forceTransfer": allButViewers,
  "token.formPreflight": members,
  "token.holders": members,
  "token.searchOperations": members,
  "token.lots": members,
  "token.freeze": allButViewers,
  "token.unfreeze": allButViewers,
  "token.mint": builders,
  "token.operation": members,
  "token.operationDetail": members,
  "token.operations": members,
  "token.preflight": members,
  "token.register": members,
  "token.registerAt": members,
  "token.registerCounts": members,
  "token.registerView": members,
  "token.transfer": builders,
  "transaction.get": members,
  "treasury.get": members,
  "usage.get": members,
  "usage.history": members,
  "verification.agree": "anybody",
  "verification.askForProof": "anybody",
  "verification.continue": "anybody",
  "verification.proveWallet": "anybody",
  "verification.proveOnChain": "anybody",
  "verification.remind": "anybody",
  "verification.renew": "anybody",
  "verification.stopReminders": "anybody",
  "verification.submit": "anybody",
  "verification.view": "anybody",
  "webhook.change": builders,
  "webhook.countFailed": members,
  "webhook.create": builders,
  "webhook.deliveries": members,
  "webhook.delivery": members,
  "webhook.get": members,
  "webhook.health": members,
  "webhook.list": members,
  "webhook.progress": members,
  "webhook.remove": builders,
  "webhook.replay": builders,
  "webhook.rotateSecret": builders,
  "webhook.searchDeliveries": members,
  "webhook.secret": builders,
  "webhook.test": builders,
  "webhook.viewDelivery": members,
  "workspace.brand": members,
  "workspace.get": members,
  "workspace.reminders": members,
  "workspace.removeLogo": owners,
  "workspace.renameAccount": owners,
  "workspace.requireSecondFactor": owners,
  "workspace.setBrand": owners,
  "workspace.setReminders": builders,
}

const SNAPSHOT = newId("snap")
const ENDPOINT = newId("whe")
const INVESTOR = newId("inv")
const REVOCATION = newId("blk")

/** Downloads. */
const downloads: Record<string, readonly Role[]> = {
  "attestations.csv": members,
  "audit.csv": members,
  "holders.csv?mint_config=us_real_estate_fund_v1": members,
  "register.csv?mint_config=us_real_estate_fund_v1": members,
  [`snapshot.csv?id=${SNAPSHOT}`]: members,
  "sessions.csv": members,
  "investors.csv": members,
  "reviews.csv?state=closed": officers,
  "approvals.csv": members,
  "policies.csv": members,
  "events.csv": members,
  "requests.csv": members,
  "keys.csv": members,
  "schemas.csv": members,
  "tokens.csv": members,
  "operations.csv?mint_config=us_real_estate_fund_v1": members,
  "holds.csv": members,
  "snapshots.csv": members,
  "distributions.csv": members,
  "webhooks.csv": members,
  [`deliveries.csv?id=${ENDPOINT}`]: members,
  [`investor-operations.csv?id=${INVESTOR}`]: members,
  [`refusals.csv?id=${INVESTOR}`]: members,
  [`recoveries.csv?id=${INVESTOR}`]: members,
  [`bulk-revocation.csv?id=${REVOCATION}`]: members,
  "members.csv": members,
}

type Procedure = { _def: { type: "query" | "mutation" | "subscription" } }
const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>

let people: Record<Role, Browser>
let workspaceId: string

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  workspaceId = owner.workspaceId
  people = { owner: owner.browser } as typeof people
  for (const role of allRoles.filter((role) => role !== "owner")) {
    people[role] = (await member(app, { role, account: owner.account })).browser
  }
})

/** Calls a procedure with input that it refuses, so that nothing happens even if the caller may call it. */
async function codeOf(browser: Browser, path: string): Promise<string | null> {
  const { type } = procedures[path]!._def
  const headers: Record<string, string> = browser.workspaceId ? { "x-vouch-workspace": browser.workspaceId } : {}
  const response =
    type === "mutation"
      ? await browser.fetch(`/api/trpc/${path}`, { method: "POST", body: "[]", headers })
      : await browser.fetch(`/api/trpc/${path}?input=[]`, { headers })
  if (type === "subscription" && response.ok) return refusalIn(response)
  const { error } = (await response.json()) as { error?: { data?: { error: string } } }
  return error?.data?.error ?? null
}

/** The first event of a refused stream says why. */
async function refusalIn(response: Response): Promise<string | null> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes as Uint8Array)
    const [, code] = /"error":"(\w+)"/.exec(text) ?? []
    if (code !== undefined) return code
  }
  return null
}

const isRefused = (code: string | null) =>
  ["insufficient_scope", "not_signed_in", "workspace_not_found"].includes(code ?? "")

test("the table lists exactly the procedures", () => {
  expect(Object.keys(procedures).sort()).toEqual(Object.keys(rights).sort())
})

test("each procedure admits exactly the callers in the table", async () => {
  const stranger = new Browser(app)
  const outsider = (await member(app)).browser
  outsider.workspaceId = workspaceId
  const found: Record<string, Who> = {}
  for (const path of Object.keys(rights)) {
    if (!isRefused(await codeOf(stranger, path))) found[path] = "anybody"
    // Procedures about oneself are not called for each, because some sign the caller out.
    else if (/^(me|setup)\./.test(path)) found[path] = "people"
    else {
      expect([path, await codeOf(outsider, path)]).toEqual([path, "workspace_not_found"])
      const allowed: Role[] = []
      for (const role of allRoles) if (!isRefused(await codeOf(people[role], path))) allowed.push(role)
      found[path] = allowed
    }
  }
  expect(found).toEqual(rights)
})

test("each download admits exactly the callers in the table", async () => {
  await sql`
    insert into snapshots (workspace_id, id, mint_config, name, record_at, holders, supply, sha256, complete, operation_id,
      created_at, ready_at)
    values (${workspaceId}, ${SNAPSHOT}, 'us_real_estate_fund_v1', 'Record date', now(), 0, 0, 'hash', true, 'op', now(), now())`
  await sql`
    insert into investors (workspace_id, id, external_id, created_at) values (${workspaceId}, ${INVESTOR}, 'a-1', now())`
  await sql`
    insert into webhook_endpoints (workspace_id, id, url, secret, cursor, created_at)
    values (${workspaceId}, ${ENDPOINT}, 'https://example.com/webhooks', '', 0, now())`
  await sql`
    insert into bulk_revocations
      (workspace_id, id, reason, attestations, author_id, author_name, request_id, created_at, ended_at)
    values (${workspaceId}, ${REVOCATION}, null, 0, 'user', 'The owner', 'req', now(), now())`
  for (const [file, allowed] of Object.entries(downloads)) {
    const address = `/api/export/${file}${file.includes("?") ? "&" : "?"}workspace=${workspaceId}`
    for (const role of allRoles) {
      const { status } = await people[role].fetch(address)
      expect([file, role, status]).toEqual([file, role, allowed.includes(role) ? 200 : 403])
    }
    expect((await new Browser(app).fetch(address)).status).toBe(401)
    expect((await (await member(app)).browser.fetch(address)).status).toBe(404)
  }
})
