import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { credentialMintOf } from "#server/domain/attestations/credential-accounts.ts"
import { onFork, replying, withoutMemos } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  app,
  asOfTheSameServer,
  backUp,
  backUpWithWork,
  becomes,
  cluster,
  differences,
  goesOn,
  health,
  held,
  idle,
  mintLater,
  node,
  restore,
  restores,
  SCHEMA,
  serve,
  statusOf,
  timesOnChain,
  tokens,
  unitsOf,
  withoutWorker,
} from "#test/fixtures/restores.ts"

restores()

test("a server that never restarted continues at once, even if a node has no history", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await app.stop()
  node.fault = replying({ result: 10_000_000 }, ["getFirstAvailableBlock"])
  await serve()
  const id = await mintLater(config, wallet, "2")
  await becomes(id, "confirmed")
  expect(app.log.some((line) => line.includes("nothing is signed until"))).toBe(false)
  node.fault = null
})

test("a database restart is treated as a restore: transactions in flight expire before anything is signed", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await withoutWorker(() => mintLater(config, wallet, "2"))
  const backup = await asOfTheSameServer(await backUp())
  // The worker signs the mint, and the network delays it.
  node.fault = replying({ result: "1".repeat(64) }, ["sendTransaction"])
  await serve()
  await becomes(id, "submitted")
  const signed = async () => {
    const [row] = await sql<{ wire: Buffer; last_valid_block_height: bigint }[]>`
      select t.wire, t.last_valid_block_height from operations o join transactions t on t.signature = o.signature
      where o.id = ${id}`
    return row!
  }
  const lost = await signed()
  node.fault = null
  await restore(backup)
  const refusal = await waitFor(async () => {
    const { status, json } = await tokens.mint(config, wallet, "1")
    return status === 503 && json
  }, "mints to be refused")
  expect(refusal.error).toBe("chain_unavailable")
  expect(refusal.detail).toMatch(/^Nothing is signed now: the database was restarted/)
  await waitFor(async () => /can no longer land, about \d+ s/.test(await health()), "health to report it")
  await goesOn()
  await becomes(id, "confirmed")
  // No block can contain both: the first one's blockhash had expired before the second one's existed.
  const heights = Number((await signed()).last_valid_block_height) - Number(lost.last_valid_block_height)
  expect(heights).toBeGreaterThan(150)
  await expect(cluster.connection.sendRawTransaction(lost.wire, { skipPreflight: false })).rejects.toThrow(
    /[Bb]lockhash not found/,
  )
  expect([await timesOnChain(id), await held(config, wallet)]).toEqual([1, 2n])
  const said = app.log.filter((line) => line.includes("nothing is signed until the database"))
  expect(said.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 30, mode: "test", seconds: expect.any(Number) }),
  )
})

test("a history without memos proves nothing, even if the database knows none of its transactions", async () => {
  const live = await app.key({ mode: "live" })
  const { wallet: first, sessionId } = await app.startSession(live)
  const { operations, second, config, backup } = await backUpWithWork(async () => {
    const event = { session_id: sessionId, decision: "approved", claims: { country: "US" } }
    expect((await app.webhook(event)).status).toBe(200)
  })
  await app.waitForStatus(live, first, "verified")
  node.fault = withoutMemos
  await restore(backup)
  const reasons = async () => {
    const rows = await sql<
      { mode: string; waits_for: string | null }[]
    >`select mode, waits_for from chains order by mode`
    return rows.map(({ waits_for }) => /no node can say what has landed: .* the memo of/.test(waits_for ?? ""))
  }
  await waitFor(async () => (await reasons()).every(Boolean), "both modes to say why they wait")
  const none = await sql`select from transactions where mode = 'live' and status = 'confirmed'`
  expect([none.length, await statusOf(operations.mint)]).toEqual([0, "queued"])
  node.fault = null
  await goesOn()
  await idle()
  await app.waitForStatus(live, first, "verified")
  expect(await timesOnChain(operations.mint)).toBe(1)
  expect(await held(config, second)).toBe(8n)
  const mint = credentialMintOf(live.workspaceId, SCHEMA)
  expect(await unitsOf(mint, first)).toBe(1n)
  expect(await differences()).toEqual([])
})

test("the comparison ends even if a confirmed transaction was rolled back", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await idle()
  node.fault = onFork()
  const { status, json } = await tokens.mint(config, wallet, "2")
  expect([status, await statusOf(json.operation_id)]).toEqual([200, "confirmed"])
  await app.stop()
  // The slot is dropped while the database restarts, and the bytes have expired when it is back.
  node.fault = null
  await cluster.pass(400)
  await restore(await asOfTheSameServer(await backUp()))
  await goesOn()
  await waitFor(async () => (await held(config, wallet)) === 2n, "the mint to be on chain")
  await idle()
  expect(await timesOnChain(json.operation_id)).toBe(1)
  expect(await differences()).toEqual([])
})
