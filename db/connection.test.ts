import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { openNotes, patient } from "#test/fixtures/notes.ts"
import { handlerOf, openClient } from "./connection.ts"
import { Pipeline } from "./pipeline.ts"
import type { Transaction } from "./session.ts"

const { url, admin, closing, pool } = await openNotes()

const codeOf = (error: { code?: string }) => error.code ?? String(error)

test("postgres.js has the internals that Vouch relies on: where a client sends its statements", () => {
  const client = openClient(url, {})
  expect(handlerOf(client)).toBeTypeOf("function")
  expect(client`select 1`).toBeInstanceOf(Promise)
  expect((client`select 1` as unknown as { handler: unknown }).handler).toBe(handlerOf(client))
})

test("no code cancels a statement: later statements would get the wrong results", () => {
  // The audit log's names for the ends of sessions, recoveries and distributions match too, and are not statements.
  const forbidden =
    /\.cancel\(|(?<!'session|"session|"recovery|"distribution)\.cancell(er|ed)\b|cancelStatement|pg_cancel_backend/
  const sources = ["db", "server", "bench"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => join(folder, file)),
  )
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.filter((file) => forbidden.test(readFileSync(file, "utf8")))).toEqual([])
  // Iterating over a cursor never settles its statement. Use `batches.ts`.
  const iterated = /\.cursor\(/
  expect(sources.filter((file) => iterated.test(readFileSync(file, "utf8")))).toEqual(["db/batches.ts"])
})

test.each([{ pooled: false }, { pooled: true }])(
  "a stalled transaction writes nothing more, neither itself nor into another transaction ($pooled)",
  async ({ pooled }) => {
    const { sql } = pool({ max: 1, pooled })
    const late = sql.begin(async (tx) => {
      await tx`insert into notes values ('first', 'before')`
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      // Waits until the database has ended the idle session and released its locks.
      await expect.poll(() => admin`select from pg_stat_activity where pid = ${row!.pid}`).toEqual([])
      await tx`insert into notes values ('first', 'after')`.catch(() => {})
      await tx`insert into notes values ('first', 'once more')`
    })
    await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/^CONNECTION_/) })
    const undone = sql.begin(async (tx) => {
      await tx`insert into notes values ('second', 'undone')`
      // So that it is not idle.
      await tx`select pg_sleep(0.1)`
      throw new Error("rolled back")
    })
    await expect(undone).rejects.toThrow("rolled back")
    expect(await admin`select * from notes`).toEqual([])
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  },
)

test("a transaction that loses its connection while others use the database writes nothing more", async () => {
  const made = pool({ max: 2, limits: patient })
  const { sql } = made
  for (let round = 0; round < 20; round++) {
    const lost = sql.begin(async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      await tx`insert into notes values ('lost', 'before')`
      await admin`select pg_terminate_backend(${row!.pid})`
      // At once, a moment later, and after others have reconnected.
      await sleep([0, 1, 30][round % 3])
      await tx`insert into notes values ('lost', 'after')`.catch(() => {})
      await tx`insert into notes values ('lost', 'after that')`.catch(() => {})
      await tx`insert into notes values ('lost', 'and that')`
    })
    const others = Array.from({ length: 8 }, (_, n) =>
      sql
        .begin(async (tx) => {
          await tx`insert into notes values ('other', ${String(n)})`
          await sleep(2)
          throw new Error("rolled back")
        })
        .catch((error) => error.message),
    )
    await expect(lost).rejects.toMatchObject({ code: expect.stringMatching(/^(CONNECTION_|57P01)/) })
    expect(new Set(await Promise.all(others))).toEqual(new Set(["rolled back"]))
  }
  expect(await admin`select * from notes`).toEqual([])
  expect(made.use).toMatchObject({ leased: 0, waiting: 0 })
})

test("a transaction with a failed statement does not commit, even if the error was caught", async () => {
  const { sql } = pool()
  const half = sql.begin(async (tx) => {
    await tx`insert into notes values ('half', 'done')`
    await tx`select 1 / 0`.catch(() => {})
    return "done"
  })
  await expect(half).rejects.toMatchObject({ code: "22012" })
  expect(await admin`select * from notes where asker = 'half'`).toEqual([])
})

test("a savepoint undoes only its own part", async () => {
  const { sql } = pool()
  const outcome = await sql.begin(async (tx) => {
    await tx`insert into notes values ('kept', 'before')`
    const failed = await tx
      .savepoint(async (inner) => {
        await inner`insert into notes values ('undone', '')`
        await inner`select 1 / 0`
      })
      .catch(codeOf)
    await tx.savepoint((inner) => inner`insert into notes values ('kept', 'inside')`.then(() => {}))
    return failed
  })
  expect(outcome).toBe("22012")
  expect(await admin`select asker from notes`).toEqual([{ asker: "kept" }, { asker: "kept" }])
  await admin`truncate notes`
})

test("a statement after its transaction has ended is refused", async () => {
  const { sql } = pool()
  let kept: Transaction | undefined
  await sql.begin(async (tx) => {
    kept = tx
  })
  await expect(kept!`insert into notes values ('late', '')`).rejects.toThrow(/has ended/)
})

test("arrays of any content are read back unchanged", async () => {
  const { sql } = pool()
  const empty = ["", "NULL", "null", "{}", null]
  const texts = [...empty, "plain", "a,b", '"quoted"', "back\\slash", "\n\t", "ünïcödé 🙂"]
  const [row] = await sql<{ texts: string[]; sum: bigint }[]>`
    select ${texts as string[]}::text[] as texts, (select sum(n) from unnest(${[1, 2.5, -3]}::numeric[]) n)::text as sum`
  expect(row).toEqual({ texts, sum: "0.5" })
  expect(await sql`select ${[]}::text[] as none`).toEqual([{ none: [] }])
})

test("a connection that is closed while it opens fails only its own statement", async () => {
  const { sql } = pool({ max: 8 })
  for (let round = 0; round < 30; round++) {
    const asked = Array.from({ length: 8 }, () => sql`select 1`.catch(codeOf))
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.catch(() => {})
    await Promise.all(asked)
  }
  // An unhandled rejection would have ended this run.
})

test("a parameter that cannot be written fails alone, and every other request gets its own answer", async () => {
  const { sql } = pool({ max: 1 })
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      n % 5 === 3
        ? sql`select ${sql.json({ none: 1n } as never)} as who`.then(
            () => "answered",
            (error) => (error instanceof TypeError ? "refused" : codeOf(error)),
          )
        : sql<{ who: string }[]>`select ${`${n}`}::text as who`.then(([row]) => row!.who, codeOf),
    ),
  )
  for (const [n, answer] of answers.entries()) expect(answer).toBe(n % 5 === 3 ? "refused" : `${n}`)
})

/** Whether the library has written it to its socket. */
const isSent = (statement: unknown): boolean => (statement as { state: unknown }).state != null

test("statements issued together in a transaction are sent together, and one that may be unwritable waits", async () => {
  const { sql } = pool({ max: 1, limits: patient })
  const run = () =>
    sql.begin(async (tx) => {
      const first = tx`select pg_sleep(0.2)`
      const second = tx<{ n: number }[]>`select ${["1", "2"]}::text[] as texts, ${2}::int as n`
      const unsure = tx<{ j: string }[]>`select ${tx.json({ a: 1 })}::jsonb ->> 'a' as j`
      const last = tx<{ n: number }[]>`select ${3}::int as n`
      const all = Promise.all([first, second, unsure, last])
      await sleep(50)
      const sent = [first, second, unsure, last].map(isSent)
      const [, [two], [json], [three]] = await all
      return { sent, answers: [two!.n, json!.j, three!.n] }
    })
  // A statement that is new to a connection is described first, and delays those behind it.
  expect((await run()).answers).toEqual([2, "1", 3])
  expect(await run()).toEqual({ sent: [true, true, false, false], answers: [2, "1", 3] })
})

test("of statements issued together in a transaction, the first failure undoes all and is thrown", async () => {
  const { sql } = pool({ max: 1 })
  for (let round = 0; round < 3; round++) {
    const together = sql.begin((tx) =>
      Promise.all([
        tx`insert into notes values ('together', ${"before"})`,
        tx`select 1 / ${0}::int`,
        tx`insert into notes values ('together', ${"after"})`,
      ]),
    )
    await expect(together).rejects.toMatchObject({ code: "22012" })
  }
  const explained = sql.begin((tx) => {
    const explain = async (cause: unknown) => {
      await null
      throw new Error("explained", { cause })
    }
    return Promise.all([tx`select 1 / ${0}::int`.catch(explain), tx`select 1`])
  })
  await expect(explained).rejects.toThrow("explained")
  const caught = sql.begin(async (tx) => {
    await Promise.allSettled([tx`select 1 / ${0}::int`, tx`insert into notes values ('together', ${"caught"})`])
  })
  await expect(caught).rejects.toMatchObject({ code: "22012" })
  expect(await admin`select * from notes`).toEqual([])
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
})

test("statements issued together in a transaction write nothing if the connection is lost between them", async () => {
  const { sql } = pool({ max: 1, limits: patient })
  for (let round = 0; round < 10; round++) {
    const lost = sql.begin((tx) =>
      Promise.all([
        tx`insert into notes values ('lost', ${"before"})`,
        tx`select pg_terminate_backend(pg_backend_pid())`,
        tx`insert into notes values ('lost', ${"after"})`,
        // New to the connection each time, so that the library holds it until the one before is answered.
        tx.unsafe(`insert into notes values ('lost', $1 || '${round}')`, ["behind"]),
      ]),
    )
    await expect(lost).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_)/) })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  }
  expect(await admin`select * from notes`).toEqual([])
})

test("pipelined reads accept only plain values and arrays, and the database refuses an invalid time", async () => {
  const pipeline = new Pipeline(url, {})
  closing.push(pipeline)
  const reads = pipeline.sql
  const ask = (n: number) => {
    if (n % 5 === 1) return reads`select ${undefined as never}::text as who`.then(() => "answered", String)
    if (n % 5 === 3) return reads`select ${new Date(Number.NaN)}::timestamptz as who`.then(() => "answered", codeOf)
    if (n % 5 === 4)
      return reads<{ who: string }[]>`select (${[`${n}`, null]}::text[])[1] as who`.then(([row]) => row!.who)
    return reads<{ who: string }[]>`select ${`${n}`}::text as who`.then(([row]) => row!.who, codeOf)
  }
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(n)))
  for (const [n, answer] of answers.entries()) {
    if (n % 5 === 1) expect(answer).toMatch(/plain values/)
    else expect(answer).toBe(n % 5 === 3 ? "22007" : `${n}`)
  }
})
