import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { connectDatabase, disconnectDatabase, onBehalfOf, sql } from "./client.ts"

beforeAll(async () => connectDatabase((await createTestDatabase()).url, { max: 12 }))
afterAll(() => disconnectDatabase())

test("one workspace never has all of a process's connections for requests", async () => {
  const over = Promise.withResolvers<void>()
  let held = 0
  const holding = onBehalfOf("greedy", () =>
    Array.from({ length: 20 }, () =>
      sql.begin(async (sql) => {
        await sql`select 1`
        held++
        await over.promise
      }),
    ),
  )
  const ended = Promise.allSettled(holding)
  await expect.poll(() => held).toBeGreaterThan(1)
  expect(await onBehalfOf("other", () => sql`select 1 as one`)).toEqual([{ one: 1 }])
  over.resolve()
  await ended
})
