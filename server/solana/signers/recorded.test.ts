import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { localKeys } from "../keys.ts"
import { recordedKeys, recordKeys } from "./recorded.ts"

const [right, wrong] = [localKeys(randomBytes(32)), localKeys(randomBytes(32))]

beforeAll(async () => connectDatabase((await createTestDatabase()).url, { max: 4 }))
afterAll(() => disconnectDatabase())

test("a process with the wrong VOUCH_SIGNER leaves nothing behind that stops one with the right one", async () => {
  await recordKeys(right, ["a"])
  await expect(recordKeys(wrong, ["a", "b"])).rejects.toThrow(/VOUCH_SIGNER: this database was first used/)
  await recordKeys(right, ["a", "b"])
  const recorded = await recordedKeys(["a", "b"])
  for (const purpose of ["a", "b"]) expect(recorded(purpose).publicKey).toEqual(right(purpose).publicKey)
})

test("of processes with different secrets that start at once, exactly one continues", async () => {
  await sql`delete from derived_keys`
  const outcomes = await Promise.allSettled([recordKeys(right, ["a", "b"]), recordKeys(wrong, ["a", "c"])])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  expect(await sql`select from derived_keys`).toHaveLength(2)
})

test("a process that waits for public keys stops waiting when it is asked to end", async () => {
  const ending = new AbortController()
  const waiting = recordedKeys(["never"], ending.signal)
  ending.abort()
  await expect(waiting).rejects.toThrow(/aborted/)
})
