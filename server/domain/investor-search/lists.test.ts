import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { investorsNamed } from "./named.ts"

// Every list of the dashboard that shows people finds them by the same words.

let owner: Awaited<ReturnType<typeof member>>
let tokens: TokenFixture
let config: string
let emma: Address
let olivia: Address

usesApp()
beforeAll(async () => {
  owner = await member(app)
  tokens = tokenFixture(app, await app.key({ account: owner.account }))
  config = await tokens.config()
  ;[emma] = await tokens.walletsOf("Emma-Larsson-1008", 1)
  ;[olivia] = await tokens.walletsOf("olivia_Äng 10%", 1)
  for (const wallet of [emma, olivia]) {
    await tokens.mint(config, wallet, 5)
    await tokens.post("/token/holds", { user_pubkey: wallet, mint_config: config, amount: "1", ...grounds })
    await sql`
      insert into reviews (workspace_id, id, kind, subject, wallet, opened_at, found_at)
      values (${owner.workspaceId}, ${newId("rev")}, 'screening', ${wallet}, ${wallet}, now(), now())`
    await sql`
      insert into approvals (workspace_id, id, action, subject, request, digest, needed, roles, requester, requesters,
        created_at, expires_at)
      values (${owner.workspaceId}, ${newId("apr")}, 'mint', 'op', ${sql.json({ user_pubkey: wallet })}, 'd', 1, '{owner}',
        '{"kind":"key","id":"k","name":"Backend"}', '{}', now(), now() + interval '1 day')`
  }
})

type Row = Record<string, unknown> & { request?: { user_pubkey: string } }

const lists: Record<string, (q: string) => object> = {
  "attestation.search": (q) => ({ q }),
  "session.list": (q) => ({ state: "closed", q }),
  "review.list": (q) => ({ q }),
  "approval.search": (q) => ({ q }),
  "token.holders": (q) => ({ mint_config: config, q }),
  "token.searchOperations": (q) => ({ mint_config: config, kind: "mint", q }),
  "token.registerView": (q) => ({ mint_config: config, group: "wallet", q }),
  "hold.search": (q) => ({ mint_config: config, q }),
}

async function walletsIn(list: string, q: string): Promise<unknown[]> {
  const { data, error } = await owner.browser.query(list, lists[list]!(q))
  expect([list, q, error]).toEqual([list, q, undefined])
  return (data.data as Row[]).map((row) => row.user_pubkey ?? row.wallet ?? row.request?.user_pubkey)
}

test("every list finds a person by any words, by their id, and by parts of a wallet", async () => {
  const [row] = await sql<{ id: string }[]>`
    select id from investors where workspace_id = ${owner.workspaceId} and external_id = 'Emma-Larsson-1008'`
  const { id } = row!
  const texts = [
    "1008 emma",
    "LARSS",
    "la",
    "em 10",
    id,
    emma,
    emma.slice(0, 6),
    `${emma.slice(0, 5)}…${emma.slice(-5)}`,
  ]
  for (const list of Object.keys(lists)) {
    await expect.poll(() => walletsIn(list, "emma"), { timeout: 60_000 }).toEqual([emma])
    for (const q of texts) expect([list, q, await walletsIn(list, q)]).toEqual([list, q, [emma]])
  }
})

test("any characters are taken literally, in every list", async () => {
  for (const list of Object.keys(lists)) {
    for (const q of ["10%", "olivia_", "äNG"]) expect([list, q, await walletsIn(list, q)]).toEqual([list, q, [olivia]])
    for (const q of ["emma olivia", "1%8", "em_a", "'", '"; --', "\\", "z".repeat(200)])
      expect([list, q, await walletsIn(list, q)]).toEqual([list, q, []])
  }
})

test("a text that very many share still finds them, and not others", async () => {
  const { workspaceId } = owner
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    select ${workspaceId}, 'inv_many' || n, 'emma-many-' || n, now() from generate_series(1, 5100) n`
  try {
    expect(await investorsNamed(workspaceId, "emma")).toBeNull()
    for (const list of Object.keys(lists)) expect([list, await walletsIn(list, "emma")]).toEqual([list, [emma]])
    for (const list of Object.keys(lists)) expect([list, await walletsIn(list, "many")]).toEqual([list, []])
    const { data } = await owner.browser.query("token.registerView", {
      ...{ mint_config: config, group: "investor", q: "emma" },
    })
    expect((data.data as Row[]).map(({ external_id }) => external_id)).toEqual(["Emma-Larsson-1008"])
  } finally {
    await sql`delete from investors where workspace_id = ${workspaceId} and id like 'inv_many%'`
  }
})

test.each([
  ["José-1", ["José", "Jose\u0301"]],
  ["Jose\u0301-2", ["José", "Jose\u0301"]],
  ["ΟΔΥΣΣΕΥΣ-3", ["οδυσσευς", "οδυσσευσ", "ΟΔΥΣΣΕΥΣ"]],
  ["οδυσσευς-4", ["οδυσσευς", "οδυσσευσ"]],
  ["محمد-5", ["\u200fمحمد", "محمد"]],
  ["O'Brien-6", ["o’brien", "O'Brien"]],
  ["O’Brien-7", ["o’brien", "O'Brien"]],
])("%j is found however a keyboard types it", async (externalId, texts) => {
  const id = newId("inv")
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    values (${owner.workspaceId}, ${id}, ${externalId}, now())`
  const number = externalId.at(-1)
  for (const text of texts) {
    const q = `${text} ${number}`
    expect([q, await investorsNamed(owner.workspaceId, q)]).toEqual([q, [id]])
  }
})

test("short words of scripts without spaces are found anywhere", async () => {
  const id = newId("inv")
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    values (${owner.workspaceId}, ${id}, '田中太郎', now())`
  for (const q of ["太郎", "田", "郎 田"]) expect([q, await investorsNamed(owner.workspaceId, q)]).toEqual([q, [id]])
  expect(await investorsNamed(owner.workspaceId, "花")).toEqual([])
})
