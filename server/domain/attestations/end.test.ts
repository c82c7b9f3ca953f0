import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { endPending } from "./end.ts"

usesCustomer()

const end = (attestationId: string) =>
  endPending(sql, {
    workspaceId: key.workspaceId,
    attestationId,
    status: "rejected",
    reason: "Too late",
    now: clock.now(),
  })

const used = async () => {
  const [row] = await sql`select used from usage_periods where workspace_id = ${key.workspaceId}`
  return row!.used
}

test("a verified attestation does not end, and keeps its unit of quota", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  expect(await end(status.attestation_id)).toBe(false)
  expect(await used()).toBe(1)
  await app.waitForStatus(key, wallet, "verified")
})

test("if several requests end it at once, one of them releases the unit", async () => {
  const { wallet } = await app.startSession(key)
  const before = await used()
  const [row] = await sql`select id from attestations where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
  const ends = await Promise.all(Array.from({ length: 8 }, () => end(row!.id)))
  expect(ends.filter(Boolean)).toHaveLength(1)
  expect(await used()).toBe(before - 1)
})
