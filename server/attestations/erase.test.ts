import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/app.ts"
import { eraseWallet } from "./erase.ts"

let app: TestApp
let key: TestKey

beforeAll(async () => {
  app = await startTestApp()
  key = await app.key()
})
afterAll(() => app.stop())

const kept = (wallet: string) => sql`
  select claims is not null as claims, salt is not null as salt, commitment is not null as commitment
  from attestations where workspace_id = ${key.workspaceId} and wallet = ${wallet}`

const erase = (wallet: string, by = key) => eraseWallet({ workspaceId: by.workspaceId, wallet })

test("what is in force is not erased; what has ended is, and only of that wallet", async () => {
  const other = await app.verifiedWallet(key)
  const { wallet, status } = await app.verifiedWallet(key)
  const attestationId = status.attestation_id as string
  expect(await erase(wallet)).toEqual({ standing: { attestationId, status: "verified" } })
  expect(await kept(wallet)).toEqual([{ claims: true, salt: true, commitment: true }])

  const revoke = () =>
    app.request({
      method: "POST",
      path: `/attestation/${attestationId}/revoke`,
      key: key.apiKey,
      headers: { "Idempotency-Key": "forget-me" },
      json: { reason: "Asked to be forgotten" },
    })
  expect((await revoke()).json.onchain.salt).toEqual(expect.any(String))
  expect(await erase(wallet, await app.key())).toEqual({ erased: 0 })
  expect(await erase(wallet)).toEqual({ erased: 1 })
  expect(await kept(wallet)).toEqual([{ claims: false, salt: false, commitment: true }])
  expect(await kept(other.wallet)).toEqual([{ claims: true, salt: true, commitment: true }])
  expect(await erase(wallet)).toEqual({ erased: 0 })

  const record = await app.request({ method: "GET", path: `/attestation/${attestationId}`, key: key.apiKey })
  expect(record.json.onchain).toMatchObject({ salt: null, commitment: expect.any(String) })
  expect((await revoke()).json).toEqual(record.json)
})

test("a session that is under way keeps its wallet from being erased", async () => {
  const { wallet } = await app.startSession(key, newWallet())
  expect(await erase(wallet)).toMatchObject({ standing: { status: "pending" } })
})
