import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { document_sha256 } from "#test/fixtures/grounds.ts"
import { raceForBalance } from "#test/fixtures/hold-races.ts"
import { fund, release } from "#test/fixtures/holds.ts"
import { tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

test("200 executions, burns and releases of one hold take it once", async () => {
  const { config, other, wallet, held, burn } = await fund()
  const id = await held("30")
  const acts = [
    () => tokens.post(`/token/hold/${id}/execute`, { to_pubkey: other, document_sha256 }),
    () => burn("30", { holds: [id] }),
    () => release(id),
  ]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => acts[i % acts.length]!()))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  const executed = answers.filter(({ status, json }) => status === 200 && json.state === "executed")
  const released = answers.filter(({ status, json }) => status === 200 && json.state === "released")
  expect(executed.length + released.length).toBeLessThanOrEqual(1)
  const [row] =
    await sql`select balance, outgoing, held from holdings where mint_config = ${config} and wallet = ${wallet}`
  expect(await tokens.onChain(config, wallet)).toBe(BigInt(row!.balance))
  expect([row!.outgoing, row!.held]).toEqual(["0", "0"])
  expect(await differences()).toEqual([])
})

test("200 burns, transfers and holds at once, at two servers, take and hold 100 of a balance of 100 at most", () =>
  raceForBalance("agent"))
