import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
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

usesPolicies()
checksUnderPolicy([
  ["erase", "a key, of a wallet", () => erasedBy(({ wallet }) => rest("POST", `/wallets/${wallet}/erase`))],
  ["erase", "a key, of an investor", () => erasedBy(({ investor }) => rest("POST", `/investor/${investor}/erase`))],
  ["erase", "a member, of a wallet", () => erasedBy(({ wallet: pubkey }) => page("erasure.wallet", { pubkey }))],
  ["erase", "a member, of an investor", () => erasedBy(({ investor: id }) => page("erasure.investor", { id }))],
])

async function erasedBy(send: (of: Session) => Promise<Sent>): Promise<Case> {
  const one = await session()
  return {
    send: () => send(one),
    effects: async () =>
      (await entries(one.wallet, "wallet.erased")) + (await entries(one.investor, "investor.erased")),
    // The person begins again.
    change: async () => {
      await reject(one)
      await session(one.wallet)
    },
  }
}

test("an erasure empties the reasons in requests, which the audit log never has", async () => {
  await requireApproval(owner.account, ["session_cancel", "attestation_revoke", "attestation_revoke_bulk"])
  const one = await session()
  const asked = [
    await rest("POST", `/kyc/session/${one.sessionId}/cancel`, why),
    await rest("POST", `/attestation/${one.id}/revoke`, why),
    await revokeList([one.id]),
  ]
  const requests = async () =>
    JSON.stringify(
      await sql`select request from approvals where subject = ${one.id}
    or action = 'attestation_revoke_bulk' and request->'attestation_ids' ? ${one.id}`,
    )
  expect((await requests()).split(why.reason)).toHaveLength(4)
  expect(await rest("POST", `/wallets/${one.wallet}/erase`)).toEqual({ status: 200 })
  expect(await requests()).not.toContain(why.reason)
  const kept = await sql`select detail from audit_entries where workspace_id = ${key.workspaceId}`
  expect(JSON.stringify(kept)).not.toContain(why.reason)
  for (const { approvalId } of asked) expect((await approve(officer, approvalId!)).error.error).toBe("approval_ended")
})
