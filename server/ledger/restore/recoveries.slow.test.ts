import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import {
  app,
  backUp,
  differences,
  goesOn,
  held,
  idle,
  key,
  placing,
  restore,
  restores,
  serve,
  timesOnChain,
  tokens,
  withoutWorker,
} from "#test/fixtures/restores.ts"

restores()

const recoveries = () => recoveryFixture(app, key)
const isSound = () => waitFor(async () => (await differences()).length === 0, "the audit to be clean")

/** A person whose lost wallet has tokens in both modes, and a hold of each. */
async function loser() {
  const person = await recoveries().person()
  const configs = [await tokens.config(), await tokens.config({}, { transfer_mode: "holder" })]
  const holds: string[] = []
  for (const config of configs) {
    expect((await tokens.mint(config, person.lost, "10")).status).toBe(200)
    holds.push(await placing(person.lost, config)("4"))
  }
  const request = async (): Promise<string> =>
    (await recoveries().request(person.investor, { lost_wallet: person.lost, new_wallet: person.fresh })).json
      .recovery_id
  return { ...person, configs, holds, request }
}

/** All tokens and holds are in the new wallet, and each operation is on chain once. */
async function expectMoved({ lost, fresh, configs, holds }: Awaited<ReturnType<typeof loser>>) {
  for (const config of configs) {
    expect(await held(config, lost)).toBe(0n)
    const { json } = await tokens.get(`/token/balance/${fresh}?mint_config=${config}`)
    expect(json).toMatchObject({ amount: "10", held: "4" })
  }
  for (const id of holds)
    expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ user_pubkey: fresh, state: "active" })
  const moved = await sql<{ id: string; status: string }[]>`
    select id, status from operations where from_wallet = ${lost} and kind in ('force_transfer', 'move_hold')`
  expect(moved.map(({ status }) => status)).toEqual(["confirmed", "confirmed", "confirmed"])
  for (const { id } of moved) expect([id, await timesOnChain(id)]).toEqual([id, 1])
}

test("a recovery in progress that a restore takes back goes on, and moves nothing twice", async () => {
  const one = await loser()
  const id = await withoutWorker(one.request)
  const backup = await backUp()
  await serve()
  expect((await recoveries().untilEnded(id)).state).toBe("completed")
  await idle()
  await restore(backup)
  await goesOn()
  expect((await recoveries().untilEnded(id)).state).toBe("completed")
  await idle()
  await expectMoved(one)
  await isSound()
})

test("what a recovery has moved stays moved after a restore to before its request", async () => {
  const one = await loser()
  await idle()
  await withoutWorker(async () => {})
  const backup = await backUp()
  await serve()
  const id = await one.request()
  expect((await recoveries().untilEnded(id)).state).toBe("completed")
  await idle()
  await restore(backup)
  await goesOn()
  await idle()
  expect((await tokens.get(`/recovery/${id}`)).json.error).toBe("recovery_not_found")
  await waitFor(
    async () => (await tokens.get(`/attestations?pubkey=${one.lost}`)).json.data[0].status === "rejected",
    "it",
  )
  await expectMoved(one)
  await isSound()
})
