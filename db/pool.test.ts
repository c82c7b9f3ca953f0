import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { openNotes, patient } from "#test/fixtures/notes.ts"
import { onBehalfOf } from "./pool.ts"

const { admin, pool, lockNote } = await openNotes()

const codeOf = (error: { code?: string }) => error.code ?? String(error)

test("short statements of one owner share a connection, and each gets its own answer or error", async () => {
  const made = pool({ max: 2, wait_ms: 20_000 })
  const { short } = made
  const ask = (n: number) => {
    if (n % 5 === 1) return short`select ${`${n}`}::int / 0 as who`.then(() => "answered", codeOf)
    if (n % 5 === 2) return short`select ${undefined as never}::text as who`.then(() => "answered", codeOf)
    if (n % 5 === 3) return short`select ${new Date(Number.NaN)}::timestamptz`.then(() => "answered", codeOf)
    return short<{ who: string }[]>`select ${`${n}`}::text as who`.then(([row]) => row!.who, codeOf)
  }
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(n)))
  for (const [n, answer] of answers.entries()) {
    if (n % 5 === 1) expect(answer).toBe("22012")
    else if (n % 5 === 2) expect(answer).toBe("UNDEFINED_VALUE")
    else expect(answer).toBe(n % 5 === 3 ? "22007" : `${n}`)
  }
  expect(made.use).toEqual({ leased: 0, waiting: 0, max: 2 })
})

test("short statements take no more connections than they need, and never another owner's", async () => {
  const made = pool({ max: 4, limits: patient, wait_ms: 20_000 })
  const { short } = made
  const unlock = await lockNote()
  const update = () =>
    onBehalfOf("first", () => short`update notes set text = 'mine' where asker = 'locked'`.then(() => "done", codeOf))
  const blocked = Array.from({ length: 4 }, update)
  await sleep(50)
  expect(made.use).toEqual({ leased: 1, waiting: 0, max: 4 })
  // A statement that has waited this long gets no more followers, and no owner has more connections than are left.
  blocked.push(...Array.from({ length: 4 }, update))
  await sleep(50)
  expect(made.use).toEqual({ leased: 2, waiting: 0, max: 4 })
  blocked.push(update())
  await sleep(50)
  expect(made.use).toEqual({ leased: 2, waiting: 1, max: 4 })
  const ask = (n: number) => onBehalfOf("other", () => short<{ who: string }[]>`select ${`${n}`}::text as who`)
  const others = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n)))
  expect(others.map(([row]) => row!.who)).toEqual(others.map((_, n) => `${n}`))
  await unlock()
  expect(await Promise.all(blocked)).toEqual(Array.from({ length: 9 }, () => "done"))
  await admin`truncate notes`
})

test("an owner's constant requests do not keep a connection from others", async () => {
  const made = pool({ max: 1, wait_ms: 5000 })
  const { short } = made
  let isOver = false
  let answers = 0
  const greedy = Array.from({ length: 4 }, () =>
    onBehalfOf("greedy", async () => {
      for (; !isOver; answers++) await short`select pg_sleep(0.005)`
    }),
  )
  await sleep(100)
  const before = answers
  expect(await onBehalfOf("other", () => short`select 1 as one`)).toEqual([{ one: 1 }])
  expect(answers - before).toBeLessThan(50)
  isOver = true
  await Promise.all(greedy)
})

test("statements behind one that loses its connection fail with it", async () => {
  const made = pool({ max: 1, limits: patient })
  const { short } = made
  const asked = [short`select pg_sleep(60)`.catch(codeOf), short`select 1`.catch(codeOf)]
  const asleep = () => admin<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and query like 'select pg_sleep(60)%'`
  await expect.poll(asleep).toHaveLength(1)
  expect(made.use).toEqual({ leased: 1, waiting: 0, max: 1 })
  await admin`select pg_terminate_backend(${(await asleep())[0]!.pid})`
  expect(await Promise.all(asked)).toEqual([
    expect.stringMatching(/^(57P01|CONNECTION_)/),
    expect.stringMatching(/^CONNECTION_/),
  ])
  expect(await short`select 1 as one`).toEqual([{ one: 1 }])
})

test("a statement waits only briefly for a held lock", async () => {
  const { sql } = pool()
  const unlock = await lockNote()
  const waiting = () => sql`update notes set text = 'mine' where asker = 'locked'`
  await expect(waiting()).rejects.toMatchObject({ code: "55P03" })
  await expect(sql.begin((tx) => tx`update notes set text = 'mine' where asker = 'locked'`)).rejects.toMatchObject({
    code: "55P03",
  })
  await unlock()
  expect((await waiting()).count).toBe(1)
  await admin`truncate notes`
})

test("others get connections at once, however many requests of one owner wait", async () => {
  const made = pool({ max: 6, limits: patient, wait_ms: 20_000 })
  const { sql } = made
  const unlock = await lockNote()
  const update = () => sql`update notes set text = 'mine' where asker = 'locked'`.then(() => "done", codeOf)
  const blocked = ["first", "second"].flatMap((who) => Array.from({ length: 30 }, () => onBehalfOf(who, update)))
  await sleep(50)
  const others = await Promise.all(
    Array.from({ length: 50 }, (_, n) => onBehalfOf(`other ${n % 5}`, () => sql`select ${`${n}`}::text as who`)),
  )
  expect(others.map(([row]) => row!.who)).toEqual(others.map((_, n) => `${n}`))
  // All of these were answered while the owner's requests still waited.
  expect(made.use.waiting).toBeGreaterThan(40)
  await unlock()
  expect(new Set(await Promise.all(blocked))).toEqual(new Set(["done"]))
  await admin`truncate notes`
})

test("a request that gets no connection in time gets an error", async () => {
  const made = pool({ max: 1, limits: patient })
  const { sql } = made
  const work = Promise.withResolvers<void>()
  const holder = sql.begin(() => work.promise)
  await expect(sql`select 1`).rejects.toMatchObject({ code: "POOL_EXHAUSTED" })
  work.resolve()
  await holder
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  expect(made.use).toEqual({ leased: 0, waiting: 0, max: 1 })
})
