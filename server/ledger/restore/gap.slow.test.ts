import { expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import {
  backUpWithWork,
  differences,
  goesOn,
  health,
  held,
  idle,
  node,
  restore,
  restores,
  statusOf,
  timesOnChain,
  tokens,
} from "#test/fixtures/restores.ts"

restores()

test("if accounts show what a node's list lacks, nothing is signed until a node lists it", async () => {
  const { config, first, second, operations, backup } = await backUpWithWork()
  node.fault = async ({ method }, ask) => {
    const reply = (await ask()) as { result: { memo: string | null }[] }
    if (method !== "getSignaturesForAddress") return reply
    return { result: reply.result.filter(({ memo }) => !memo?.includes(operations.mint)) }
  }
  await restore(backup)
  await waitFor(async () => /no history lists/.test(await health()), "health to report it")
  expect(await statusOf(operations.mint)).toBe("queued")
  const refused = await tokens.mint(config, first, "1")
  expect([refused.status, refused.json.error]).toEqual([503, "chain_unavailable"])
  node.fault = null
  await goesOn()
  await idle()
  expect([await held(config, first), await held(config, second)]).toEqual([7n, 8n])
  for (const id of Object.values(operations)) expect(await timesOnChain(id)).toBe(1)
  expect(await differences()).toEqual([])
})
