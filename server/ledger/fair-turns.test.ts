import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp } from "#test/app.ts"
import { tokenDesk } from "#test/tokens.ts"
import { TURN } from "./queue.ts"

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

test("a tenant that floods the queue holds up another by a turn or two, not by its flood", async () => {
  const [flooding, waiting] = [await app.key(), await app.key()]
  const [flood, other] = [tokenDesk(app, flooding), tokenDesk(app, waiting)]
  const [floodConfig, otherConfig] = [await flood.config(), await other.config()]
  const [[many], [one]] = [await flood.wallets(1), await other.wallets(1)]
  const async = { headers: { Prefer: "respond-async" } }
  const accepted = Array.from({ length: 800 }, () => flood.mint(floodConfig, many!, "1", async))
  await Promise.all(accepted.slice(0, 400))

  const { json } = await other.mint(otherConfig, one!, "1")
  expect(json.status).toBe("confirmed")
  const [row] = await sql<{ ahead: number; behind: number }[]>`
    with mine as (
      select o.created_at as asked, t.created_at as signed from operations o
      join transactions t on t.signature = o.signature
      where o.workspace_id = ${waiting.workspaceId} and o.id = ${json.operation_id}
    )
    select count(*) filter (where t.created_at between mine.asked and mine.signed)::int as ahead,
      count(*) filter (where t.created_at > mine.signed or t.created_at is null)::int as behind
    from mine cross join operations o left join transactions t on t.signature = o.signature
    where o.workspace_id = ${flooding.workspaceId} and o.kind = 'mint'`
  expect(row!.ahead).toBeLessThanOrEqual(3 * TURN)
  expect(row!.behind).toBeGreaterThan(TURN)
  await Promise.all(accepted)
})
