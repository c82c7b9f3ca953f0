import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

// A holder slot moves with a full exit at the limit, while other slots become free.

usesCustomer({ key: { mode: "live", plan: "enterprise" } })

const async = { headers: { prefer: "respond-async" } }

const untilEnded = (id: string, wanted: "confirmed" | "failed") =>
  waitFor(async () => (await tokens.get(`/token/operation/${id}`)).json.status === wanted, `${id} to be ${wanted}`)

/** Alice's exit to carol waits, bob has left to erin, and two of three slots are taken. */
async function startExit() {
  const config = await tokens.config({ max_holders: 3 })
  const [alice, bob, erin, carol] = await tokens.wallets(4)
  for (const one of [alice, bob, erin]) await tokens.mint(config, one, 10)
  let exit = ""
  await whileLedgerPaused(async () => {
    exit = (await tokens.transfer(config, alice, carol, 10, async)).json.operation_id
    await sql`update operations set not_before = now() + interval '1 day' where id = ${exit}`
  })
  expect((await tokens.transfer(config, bob, erin, 10)).status).toBe(200)
  const goOn = () => sql`update operations set not_before = null where id = ${exit}`
  return { config, alice, carol, exit, goOn }
}

test("if an exit and a mint to the new holder both fail, no slot stays reserved", async () => {
  const { config, carol, exit, goOn } = await startExit()
  let minted = ""
  await whileLedgerPaused(async () => {
    minted = (await tokens.mint(config, carol, 5, async)).json.operation_id
    const { attestation_id } = (await tokens.get(`/kyc/status/${carol}`)).json
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  })
  await untilEnded(minted, "failed")
  await goOn()
  await untilEnded(exit, "failed")
  expect((await tokens.trace(config)).counters.holders).toBe(2)
})

test("if a mint to a leaving holder fails, no slot stays reserved", async () => {
  const { config, alice, exit, goOn } = await startExit()
  let minted = ""
  await whileLedgerPaused(async () => {
    minted = (await tokens.mint(config, alice, 5, async)).json.operation_id
    await tokens.post(`/mint-config/${config}/pause`, {})
  })
  await untilEnded(minted, "failed")
  await tokens.post(`/mint-config/${config}/unpause`, {})
  await goOn()
  await untilEnded(exit, "confirmed")
  expect((await tokens.trace(config)).counters.holders).toBe(2)
})
