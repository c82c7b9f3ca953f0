import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { checkPosition } from "./position.ts"

const EVENTS = 5000

usesApp({ environment: { VOUCH_ROLE: "web" } })

test("checking an unknown cursor reads few events, however many there are", async () => {
  const { workspaceId } = await app.key()
  const generation = "abcdefabcdef"
  await sql`insert into event_generations (id, run) values (${generation}, 'an earlier run')`
  await sql`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    select ${workspaceId}, n, 'evt_' || n, 'attestation.verified', '{}', now(), ${generation}
    from generate_series(1, ${EVENTS}::int) as n`
  await sql`
    insert into event_counters (workspace_id, last) values (${workspaceId}, ${EVENTS})
    on conflict (workspace_id) do update set last = excluded.last`
  await sql`analyze events`
  for (const [cursor, resume] of [
    [`${EVENTS + 1}-${generation}`, `${EVENTS}-${generation}`],
    [`${EVENTS}-unknown`, "0"],
    ["999999999999999-first", "0"],
    ["1-first", "0"],
  ] as const) {
    const read = await sql.begin(async (sql) => {
      await expect(checkPosition(sql, workspaceId, { cursor }), cursor).rejects.toMatchObject({
        code: "events_rewound",
        headers: { "Resume-Cursor": resume },
      })
      const [{ rows } = { rows: null }] = await sql<{ rows: bigint | null }[]>`
        select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'events'`
      return Number(rows)
    })
    expect(read, cursor).toBeLessThan(100)
  }
})
