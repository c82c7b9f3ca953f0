import { spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { expect, test } from "vitest"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { until } from "./deployment.ts"
import { newSeed, randomFrom } from "./random.ts"

const KILLS = 4
const ROWS = 20_000

test("processes that archive can be killed at any moment without losing, duplicating or changing a row", async () => {
  const random = randomFrom(newSeed())
  const { url } = await createTestDatabase()
  const sql = postgres(url, { ...socketOptions(url), max: 1 })
  await sql`insert into accounts (id, name, plan, created_at) values ('acct_1', 'a', 'enterprise', now())`
  await sql`
    insert into workspaces (id, account_id, mode, authority, created_at)
    values ('ws_1', 'acct_1', 'test', '11111111111111111111111111111111', now())`
  const add = (from: number) => sql`
    with carried as (
      insert into transactions (signature, workspace_id, mode, wire, head, layout, last_valid_block_height, fee, status, slot,
        created_at, settled_at, finalized_at, counted_at)
      select 'sig_' || n, 'ws_1', 'test', null, 1, jsonb_build_array(jsonb_build_array('op_' || n, 1)), n, 5000, 'confirmed', n,
        now(), now(), now(), now() from generate_series(${from}::int, ${from + ROWS - 1}::int) n
    )
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, signature, created_at, finished_at)
    select 'ws_1', 'op_' || n, 'mint', 'confirmed', jsonb_build_object('amount', n::text), array['a' || n], '{}', 'sig_' || n,
      now(), now() from generate_series(${from}::int, ${from + ROWS - 1}::int) n`
  const place = async () => {
    const [row] = await sql<{ hot: number; archived: number }[]>`
      select (select count(*)::int from only operations) + (select count(*)::int from only transactions) as hot,
        (select count(*)::int from archived_operations) + (select count(*)::int from archived_transactions) as archived`
    return { ...row! }
  }
  /** A checksum of all rows, archived or not. */
  const content = async () => {
    const [row] = await sql`
      select (select md5(string_agg(o::text, ',' order by id)) from operations o) as operations,
        (select md5(string_agg(t::text, ',' order by signature)) from transactions t) as transactions`
    return { ...row! }
  }
  const start = () =>
    spawn(process.execPath, [fileURLToPath(new URL("./mover.ts", import.meta.url)), url], {
      stdio: ["ignore", "ignore", "inherit"],
    })
  for (let kill = 0; kill < KILLS; kill++) {
    await add(kill * ROWS)
    const [before, was] = [await content(), await place()]
    const movers = [start(), start()]
    await until("rows to be archived", async () => (await place()).archived > was.archived)
    await sleep(random.below(300))
    for (const mover of movers) mover.kill("SIGKILL")
    expect(await content()).toEqual(before)
  }
  const before = await content()
  const mover = start()
  await until("all rows to be archived", async () => (await place()).hot === 0)
  mover.kill("SIGKILL")
  expect(await content()).toEqual(before)
  expect(await place()).toEqual({ hot: 0, archived: KILLS * ROWS * 2 })
  await sql.end()
})
