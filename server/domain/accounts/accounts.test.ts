import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import { type Deployment, setDeployment } from "#server/domain/deployment/deployment.ts"
import { AccountExists, createAccount, findAccount } from "#server/domain/onboarding/create-account.ts"
import { firstStart } from "#server/domain/onboarding/first-start.ts"
import { createUser } from "#server/domain/people/join.ts"
import { listUsers } from "#server/domain/people/people.ts"
import { localKeys } from "#server/solana/keys.ts"
import { isScope } from "#shared/scopes.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { listAccounts, setPlan } from "./accounts.ts"
import { includedIn } from "./plans.ts"

beforeAll(async () => {
  const { url } = await createTestDatabase()
  connectDatabase(url, { max: 8 })
  setDeployment({
    origin: "http://localhost:3000",
    settings: {},
    authorities: {},
    keys: localKeys(randomBytes(32)),
    hasSigner: true,
  } as Deployment)
})
afterAll(() => disconnectDatabase())

test("the first start creates an account with a live and a test key once, even if processes start together", async () => {
  const started = await Promise.all([firstStart(), firstStart(), firstStart()])
  const [keys, ...more] = started.flatMap(({ keys }) => keys ?? [])
  expect(more).toEqual([])
  expect(keys!.live).toMatch(/^vouch_live_/)
  expect(keys!.test).toMatch(/^vouch_test_/)
  expect((await firstStart()).keys).toBeNull()
  expect(await listAccounts()).toMatchObject([{ name: "My company", plan: "free", included: 500 }])
})

test("each start prints a link for the first owner until one is used; after that, none of them works", async () => {
  const [first, second] = [(await firstStart()).ownerLink!, (await firstStart()).ownerLink!]
  expect(first).toMatch(/\/setup\?token=[\w-]{43}$/)
  expect(second).not.toBe(first)
  const token = (link: string) => new URL(link).searchParams.get("token")!
  const password = "correct horse battery"
  const person = { name: "Ada", email: "Ada@example.com", password, requestId: "req_1" }
  expect(await createUser({ ...person, token: token(first) })).toEqual({ email: "ada@example.com" })
  for (const link of [first, second]) {
    await expect(createUser({ ...person, email: "eve@example.com", token: token(link) })).rejects.toMatchObject({
      code: "invalid_link",
    })
  }
  expect((await firstStart()).ownerLink).toBeNull()
  expect(await listUsers()).toEqual([
    {
      email: "ada@example.com",
      confirmed: false,
      name: "Ada",
      second_factor: false,
      memberships: [{ account: "My company", role: "owner" }],
    },
  ])
})

test("an account has two workspaces, each with the built-in schemas", async () => {
  const account = await createAccount({ name: "Acme", plan: "growth" })
  expect(account.workspaces.live).not.toBe(account.workspaces.test)
  for (const workspaceId of Object.values(account.workspaces)) {
    const schemas = await sql`select id, validity_days from schemas where workspace_id = ${workspaceId} order by id`
    expect([...schemas]).toEqual([
      { id: "accredited_investor_v1", validity_days: 90 },
      { id: "kyc_business_v1", validity_days: 365 },
      { id: "kyc_individual_v1", validity_days: 365 },
    ])
  }
  expect(await findAccount("Acme")).toEqual(account)
  expect(await findAccount("acme")).toBeNull()
})

test("an account name can be used once, even if ten requests want it at the same time, and the refused ones leave nothing behind", async () => {
  const attempts = Array.from({ length: 10 }, () => createAccount({ name: "Wanted", plan: "free" }))
  const outcomes = await Promise.allSettled(attempts)
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(AccountExists)
  }
  const [orphans] = await sql`
    select count(*)::int as count from workspaces w where not exists (select from accounts a where a.id = w.account_id)`
  expect(orphans!.count).toBe(0)
})

test("plans include 500, 10,000 or an agreed number of attestations", async () => {
  expect(includedIn("free", null)).toBe(500)
  expect(includedIn("growth", null)).toBe(10_000)
  expect(includedIn("enterprise", 123)).toBe(123)
  expect(includedIn("enterprise", null)).toBeNull()
  // Only enterprise takes a number. The other plans keep theirs.
  expect(includedIn("free", 9)).toBe(500)
  expect(await setPlan("Acme", "enterprise", 7)).toBe(true)
  expect((await listAccounts()).find(({ name }) => name === "Acme")).toMatchObject({
    plan: "enterprise",
    included: 7,
  })
  expect(await setPlan("Unknown", "free", null)).toBe(false)
})

test.each(["constructor", "__proto__", "toString", "", "Free"])("%j is not a scope", (name) => {
  expect(isScope(name)).toBe(false)
})
