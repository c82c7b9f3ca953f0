import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// A worker runs, and everything that can happen to an attestation happens to the same few at once.

usesCustomer({ key: { mode: "live", plan: "enterprise", quota: 1000 } })

test("concurrent starts, decisions, revocations and reads neither fail, nor lose a unit, nor revive an ended attestation", async () => {
  const wallets = Array.from({ length: 7 }, newWallet)
  const sessions: string[] = []
  const ended = new Map<string, string>()
  const ask = async (method: string, path: string, json?: unknown) => {
    const response = await app.request({ method, path, key: key.apiKey, ...(json ? { json } : {}) })
    expect(response.status, response.text).toBeLessThan(500)
    return response.json
  }
  const decisions = ["approved", "rejected", "in_review", "expired", "approved"]
  const steps = [
    async (wallet: string) => {
      const body = { userPubkey: wallet, schemaId: "kyc_individual_v1" }
      sessions.push((await ask("POST", "/kyc/start", body)).session_id)
    },
    async (_wallet: string, round: number) => {
      const session_id = sessions.at(-1 - (round % 6))
      if (session_id === undefined) return
      const { status } = await app.webhook({ session_id, decision: decisions[round % decisions.length]! })
      expect(status).toBe(200)
    },
    async (wallet: string, round: number) => {
      const { attestation_id } = await ask("GET", `/kyc/status/${wallet}`)
      if (attestation_id === undefined || round % 3 !== 0) return
      await ask("POST", `/attestation/${attestation_id}/revoke`, { reason: "race" })
    },
    async (wallet: string) => {
      const known = new Map(ended)
      const { data } = await ask("GET", `/attestations?pubkey=${wallet}&limit=100`)
      for (const { attestation_id, status } of data) {
        const before = known.get(attestation_id)
        if (before !== undefined) expect(status).toBe(before)
        if (status === "rejected" || status === "expired") ended.set(attestation_id, status)
      }
    },
  ]
  await Promise.all(
    Array.from({ length: 24 }, async (_, worker) => {
      for (let round = 0; round < 25; round++) {
        await steps[(worker + round) % steps.length]!(wallets[(worker + round) % wallets.length]!, round + worker)
      }
    }),
  )
  expect(ended.size).toBeGreaterThan(10)
  await waitFor(async () => {
    const unfinished = await sql`select from operations where status in ('queued', 'submitted')`
    return unfinished.length === 0
  }, "the ledger to have nothing left to do")

  const [row] = await sql`
    select u.used, (
      select count(*)::int from attestations a
      where a.workspace_id = u.workspace_id and (a.status = 'pending' or a.verified_at is not null)) as counted
    from usage_periods u where u.workspace_id = ${key.workspaceId}`
  expect(row!.used).toBe(row!.counted)
  // Exactly the verified wallets hold a unit of the credential.
  const held = await sql`
    select c.wallet, a.status from credentials c left join attestations a
      on a.workspace_id = c.workspace_id and a.id = c.attestation_id
    where c.attestation_id is not null`
  const verified = await sql`select wallet, status from attestations where status = 'verified'`
  const sorted = (rows: Iterable<unknown>) => [...rows].map((one) => JSON.stringify(one)).sort()
  expect(sorted(held)).toEqual(sorted(verified))
})
