import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { approve, requireApproval } from "#test/fixtures/approvals.ts"
import {
  type Case,
  checksUnderPolicy,
  entries,
  key,
  officer,
  owner,
  page,
  reject,
  rest,
  revokeList,
  type Sent,
  type Session,
  session,
  usesPolicies,
  why,
} from "#test/fixtures/policies.ts"
import { app } from "#test/fixtures/uses-app.ts"

usesPolicies()
checksUnderPolicy([
  ["session_cancel", "a key", () => endedBy(({ sessionId }) => rest("POST", `/kyc/session/${sessionId}/cancel`, why))],
  ["session_cancel", "a member", () => endedBy(({ sessionId: id }) => page("session.cancel", { id, ...why }))],
  ["attestation_revoke", "a key", () => endedBy(({ id }) => rest("POST", `/attestation/${id}/revoke`, why))],
  ["attestation_revoke", "a member", () => endedBy(({ id }) => page("attestation.revoke", { id, ...why }))],
  ["attestation_revoke_bulk", "a member", () => listedBy(({ id }) => revokeList([id]))],
])

async function endedBy(send: (of: Session) => Promise<Sent>): Promise<Case> {
  const one = await session()
  return {
    send: () => send(one),
    effects: async () => (await entries(one.id, "session.cancelled")) + (await entries(one.id, "attestation.revoked")),
    change: () => reject(one),
  }
}

async function listedBy(send: (of: Session) => Promise<Sent>): Promise<Case> {
  const one = await session()
  const count = async () => (await sql`select from bulk_revocation_items where attestation_id = ${one.id}`).length
  return { send: () => send(one), effects: count }
}

async function statusOf(id: string): Promise<string> {
  const [row] = await sql`select status from attestations where id = ${id}`
  return row!.status
}

test("a verified wallet can be revoked alone, by itself or in a list, and a pending one in neither", async () => {
  await requireApproval(owner.account, ["attestation_revoke"])
  const [alone, listed] = await Promise.all([app.verifiedWallet(key), app.verifiedWallet(key)])
  const { attestation_id } = alone.status
  expect(await rest("POST", `/attestation/${attestation_id}/revoke`, why)).toEqual({ status: 200 })
  expect(await revokeList([listed.status.attestation_id])).toEqual({ status: 200 })
  const { id } = await session()
  expect(await rest("POST", `/attestation/${id}/revoke`, why)).toMatchObject({ status: 202 })
  expect(await revokeList([id])).toMatchObject({ status: 202 })
})

test("approving the revocation of a pending verification leaves one alone that was verified since", async () => {
  await requireApproval(owner.account, ["attestation_revoke"])
  const one = await session()
  const { approvalId } = await rest("POST", `/attestation/${one.id}/revoke`, why)
  await app.webhook({ session_id: one.sessionId, decision: "approved" })
  await waitFor(async () => (await statusOf(one.id)) === "verified", "the credential")
  expect((await approve(officer, approvalId!)).error).toMatchObject({ error: "approval_ended" })
  const [approval] = await sql`select state, reason from approvals where id = ${approvalId!}`
  expect(approval).toEqual({ state: "void", reason: "It can no longer be done. The person has been verified since." })
  expect(await statusOf(one.id)).toBe("verified")
  expect(await entries(one.id, "attestation.revoked")).toBe(0)
})

test("a list that was approved is revoked for the member who asked for it", async () => {
  await requireApproval(owner.account, ["attestation_revoke_bulk"])
  const ids = (await Promise.all([session(), session()])).map(({ id }) => id)
  const { approvalId } = await revokeList(ids)
  expect((await approve(officer, approvalId!)).status).toBe(200)
  const isDone = async () =>
    (await sql`select from attestations where id = any(${ids}) and status = 'rejected'`).length === 2
  await waitFor(isDone, "the list to end")
  const [list] =
    await sql`select author_name from bulk_revocations b join approvals a on a.subject = b.id where a.id = ${approvalId!}`
  expect(list!.author_name).toBe("The owner")
})
