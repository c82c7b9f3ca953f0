import { expect, test } from "vitest"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { makeNodeLie } from "#test/doubles/make-node-lie.ts"
import { type RpcProxy, replying, rpcProxy } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  app,
  backUp,
  becomes,
  cluster,
  differences,
  goesOn,
  health,
  held,
  isOpen,
  key,
  mintLater,
  node,
  restores,
  serve,
  statusOf,
  timesOnChain,
  tokens,
  use,
  withoutWorker,
} from "#test/fixtures/restores.ts"

restores()

test("a transaction that only one node leaves out is not signed again, and one node is not enough if two are configured", async () => {
  const honest: RpcProxy = await rpcProxy(cluster.url)
  const both = { SOLANA_RPC_URL: `${node.url} ${honest.url}` }
  try {
    const config = await tokens.config()
    const [wallet] = await tokens.wallets(1)
    const id = await withoutWorker(() => mintLater(config, wallet, "5"))
    const backup = await backUp()
    const slot = await cluster.connection.getSlot("confirmed")
    await serve()
    await becomes(id, "confirmed")
    await app.stop()
    use(backup)
    const account = tokenAccountOf(assetMintOf(key.workspaceId, config), publicKeyOf(wallet)).toBase58()
    const { stop } = makeNodeLie(node, { nothingSince: slot, absent: new Set([account]) })
    honest.fault = replying("drop")
    await serve(both)
    await waitFor(async () => /a second node must confirm it/.test(await health()), "health to report it")
    honest.fault = null
    await waitFor(async () => /one node lists .* and another does not/.test(await health()), "health to report it")
    expect([await isOpen(), await statusOf(id)]).toEqual([false, "queued"])
    stop()
    await goesOn()
    await becomes(id, "confirmed")
    expect([await timesOnChain(id), await held(config, wallet)]).toEqual([1, 5n])
    expect(await differences()).toEqual([])
    await app.stop()
    await serve()
  } finally {
    await honest.close()
  }
})

test("a transaction that a node returns with a wrong signature is not booked", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await withoutWorker(() => mintLater(config, wallet, "5"))
  const backup = await backUp()
  await serve()
  await becomes(id, "confirmed")
  await app.stop()
  use(backup)
  node.fault = async ({ method }, ask) => {
    const reply = await ask()
    if (method !== "getTransaction" || typeof reply !== "object" || !("result" in reply)) return reply
    const { transaction, ...rest } = reply.result as {
      transaction: { message: { instructions: { data: string }[] }; signatures: string[] }
    }
    const [first, ...others] = transaction.message.instructions
    const message = { ...transaction.message, instructions: [{ ...first!, data: "1" }, ...others] }
    return { result: { ...rest, transaction: { ...transaction, message } } }
  }
  await serve()
  await waitFor(async () => /returned with a wrong signature/.test(await health()), "health to report it")
  expect(await statusOf(id)).toBe("queued")
  node.fault = null
  await goesOn()
  await becomes(id, "confirmed")
  expect([await timesOnChain(id), await held(config, wallet)]).toEqual([1, 5n])
})
