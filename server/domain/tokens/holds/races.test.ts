import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { document_sha256 } from "#test/fixtures/grounds.ts"
import { answerOf, fund, release } from "#test/fixtures/holds.ts"
import type { Response } from "#test/fixtures/http.ts"
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

test("200 burns, transfers and holds at once of a balance of 100 take and hold 100 at most", async () => {
  const { config, wallet, held, place, burn, transfer } = await fund()
  const named = await held("10")
  const acts = [
    () => burn("3"),
    () => burn("2", { holds: [named] }),
    () => transfer("2"),
    () => place("4"),
    async () => {
      const { status, json } = await place("1")
      return status === 200 ? release(json.hold_id) : place("1")
    },
  ]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => acts[i % acts.length]!()))
  const allowed = ["done", "insufficient_balance", "amount_held", "hold_ended"]
  expect(allowed).toEqual(expect.arrayContaining([...new Set(answers.map(answerOf))]))
  const moved = answers.filter(({ status, json }) => status === 200 && json.operation_id && !json.hold_id)
  const sum = (all: Response[]) => all.reduce((total, { json }) => total + Number(json.amount), 0)
  const { data } = (await tokens.get(`/token/holds?mint_config=${config}&state=active&limit=100`)).json
  const bound = data.reduce((total: number, { remaining }: { remaining: string }) => total + Number(remaining), 0)
  expect(sum(moved) + bound).toBeLessThanOrEqual(100)
  expect(await tokens.onChain(config, wallet)).toBe(BigInt(100 - sum(moved)))
  const [row] =
    await sql`select balance, outgoing, held from holdings where mint_config = ${config} and wallet = ${wallet}`
  expect({ ...row }).toEqual({ balance: String(100 - sum(moved)), outgoing: "0", held: String(bound) })
  expect(await differences()).toEqual([])
})
