import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { approve, type ProvenMember, provenMember } from "#test/fixtures/approvals.ts"
import {
  boss,
  type Case,
  checksUnderPolicy,
  entries,
  officer,
  owner,
  page,
  requireTwo,
  type Sent,
  tokens,
  usesPolicies,
} from "#test/fixtures/policies.ts"
import { app } from "#test/fixtures/uses-app.ts"

usesPolicies()
checksUnderPolicy([
  ["key_create", "a member", () => keyMadeBy((name) => page("key.create", { name, scopes: ["kyc:read"] }))],
  ["key_create", "a member who rotates", () => keyRotated()],
])

/** The requester collects the secret in several tabs, and others try. Only one answer has it. */
async function collect(approvalId: string) {
  const by = (member: ProvenMember) => member.browser.mutate("key.collect", { approval_id: approvalId })
  for (const other of [officer, boss]) {
    const { error } = await by(other)
    expect(["not_requester", "insufficient_scope"]).toContain(error.error)
  }
  const answers = await Promise.all([by(owner), by(owner), by(owner)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  const { api_key, key_id } = answers.find(({ status }) => status === 200)!.data
  expect((await app.request({ method: "GET", path: "/key", key: api_key })).json.key_id).toBe(key_id)
  const stored = await sql`select to_jsonb(a)::text as text from approvals a where id = ${approvalId}`
  expect(stored[0]!.text).not.toContain(api_key)
  expect((await tokens.get(`/approval/${approvalId}`)).json.outcome).toEqual({ key_id })
}

async function keyMadeBy(send: (name: string) => Promise<Sent>): Promise<Case> {
  const name = newId("key")
  return {
    send: () => send(name),
    effects: async () => (await sql`select from api_keys where name = ${name}`).length,
    finish: collect,
  }
}

async function keyRotated(): Promise<Case> {
  const { keyId } = await app.key({ account: owner.account })
  return {
    send: () => page("key.rotate", { key_id: keyId, grace_seconds: 0 }),
    effects: () => entries(keyId, "key.rotated"),
    finish: collect,
    change: () => sql`update api_keys set revoked_at = now() where id = ${keyId}`,
  }
}

test("an approved key is collected within a week, and with the permissions that its requester still has", async () => {
  await requireTwo("key_create")
  const developer = await provenMember(app, { role: "developer", account: owner.account })
  const ask = async () => {
    const { approvalId } = await page("key.create", { name: newId("key"), scopes: ["kyc:read"] }, developer)
    expect((await approve(officer, approvalId!)).status).toBe(200)
    return () => developer.browser.mutate("key.collect", { approval_id: approvalId })
  }
  const [demoted, late] = [await ask(), await ask()]
  const user_id = (await developer.browser.query("me.get")).data.user.id
  await owner.browser.mutate("member.changeRole", { user_id, role: "viewer" })
  expect((await demoted()).error.error).toBe("insufficient_scope")
  await owner.browser.mutate("member.changeRole", { user_id, role: "developer" })
  expect((await demoted()).status).toBe(200)
  await sql`update approvals set ended_at = ended_at - interval '8 days' where action = 'key_create'`
  expect((await late()).error.error).toBe("approval_ended")
})
