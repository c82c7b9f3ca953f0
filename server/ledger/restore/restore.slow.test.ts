import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import postgres from "postgres"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { acceptQuarantine, reconcileMode } from "#server/domain/operations/quarantine.ts"
import { setFeePayer } from "#server/domain/signers/fee-payers.ts"
import { feePayerPurpose } from "#server/solana/keys.ts"
import { forgets, frozen } from "#test/doubles/rpc-proxy.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import {
  admin,
  app,
  asOfTheSameServer,
  backUp,
  backUpWithWork,
  becomes,
  cluster,
  credential,
  database,
  differences,
  goesOn,
  health,
  held,
  idle,
  isOpen,
  key,
  mintLater,
  nameOf,
  node,
  restore,
  restores,
  revoke,
  serve,
  statusOf,
  timesOnChain,
  tokens,
  use,
  withoutWorker,
} from "#test/fixtures/restores.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"

restores()

test.each([
  ["on another server", (url: string) => Promise.resolve(url)],
  ["copied back under the same server", asOfTheSameServer],
])("what was queued in a backup %s and done since is on chain once, and in the books", async (_how, prepare) => {
  const { config, first, second, approved, revoked, operations, backup } = await backUpWithWork()
  await app.stop()
  await prepare(backup)
  use(backup)
  await serve()
  await goesOn()
  await idle()
  await app.waitForStatus(key, approved, "verified")
  await app.waitForStatus(key, revoked, "rejected")
  expect([await held(config, first), await held(config, second)]).toEqual([7n, 8n])
  expect([await credential(approved), await credential(revoked)]).toEqual([1n, 0n])
  expect(await timesOnChain(operations.mint)).toBe(1)
  expect(await timesOnChain(operations.transfer)).toBe(1)
  expect(await differences()).toEqual([])
  // The server continues as before.
  expect((await tokens.transfer(config, second, first, "8")).status).toBe(200)
  expect(await held(config, first)).toBe(15n)
  expect(await differences()).toEqual([])
})

test("lost rows are rebuilt from the chain, and only a credential that nothing describes waits for a person", async () => {
  const config = await tokens.config()
  const [first, second, revoked] = await tokens.wallets(3)
  await tokens.mint(config, first, "10")
  const other = await app.key({ plan: "growth" })
  await app.verifiedWallet(other)
  await app.stop()
  const backup = await backUp()
  await serve()
  const minted = (await tokens.mint(config, second, "5")).json.operation_id as string
  await tokens.transfer(config, first, second, "10")
  const lost = newWallet()
  const cameAndWent = newWallet()
  for (const wallet of [lost, cameAndWent]) await app.verifiedWallet(key, wallet)
  for (const wallet of [revoked, cameAndWent]) {
    await revoke(wallet)
  }
  await idle()
  await restore(backup)
  await goesOn()

  expect([await held(config, first), await held(config, second)]).toEqual([0n, 15n])
  expect(await statusOf(minted)).toBe("confirmed")
  expect((await tokens.trace(config)).counters).toEqual({ issued: "15", supply: "15", holders: 1 })
  await app.waitForStatus(key, revoked, "rejected")

  await waitFor(async () => /1 workspace is in quarantine/.test(await health()), "health to report it")
  const refused = await tokens.mint(config, second, "1")
  expect([refused.status, refused.json.error]).toEqual([503, "chain_unavailable"])
  await app.verifiedWallet(other)

  const found = await reconcileMode("test", () => {})
  expect(found.waits_for).toBe(null)
  expect(found.workspaces.map(({ workspace }) => workspace)).toEqual([key.workspaceId])
  expect(found.workspaces[0]!.differences.map(({ wallet }) => wallet)).toEqual([lost])
  await acceptQuarantine(found, "It is known what was lost")
  await idle()
  expect([await credential(lost), await credential(cameAndWent)]).toEqual([0n, 0n])
  await app.waitForStatus(key, lost, "rejected")
  const [entry] =
    await sql`select detail ->> 'reason' as reason from audit_entries where action = 'ledger.quarantine_lifted'`
  expect(entry).toEqual({ reason: "It is known what was lost" })
  expect((await tokens.mint(config, second, "1")).status).toBe(200)
  await app.verifiedWallet(key, lost)
  expect(await credential(lost)).toBe(1n)
  expect(await differences()).toEqual([])
})

test("a freeze that a restored database ended without a transaction needs no decision by a person", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet!, "10")
  await revoke(wallet!)
  await idle()
  await app.stop()
  // As if the node had shown the frozen account before its history showed the freeze.
  const backup = await backUp()
  const own = postgres(backup, { ...socketOptions(backup), max: 1 })
  const ended = await own`
    with freezing as (
      update operations o set signature = null from (select signature, id from operations
        where kind = 'align_account' and status = 'confirmed' and signature is not null) before
      where o.id = before.id returning before.signature
    )
    delete from transactions t using freezing f where t.signature = f.signature returning t.signature`
  await own.end()
  expect(ended.length).toBeGreaterThan(0)
  use(backup)
  await serve()
  await goesOn()
  expect([...(await sql`select workspace_id from quarantines where workspace_id = ${key.workspaceId}`)]).toEqual([])
  expect(await differences()).toEqual([])
})

test("what a workspace's own fee payer paid for is found, even if the backup does not know that fee payer", async () => {
  const { config, first, second, operations, backup } = await backUpWithWork()
  const before = await held(config, second)
  const payer = deployment.keys(feePayerPurpose(key.workspaceId)).publicKey
  await cluster.connection.requestAirdrop(payer, LAMPORTS_PER_SOL)
  await waitFor(async () => (await cluster.connection.getBalance(payer)) > 0, "the airdrop")
  await setFeePayer(key.workspaceId, "derived:", theOperator)
  const lost = await mintLater(config, second, "2")
  await becomes(lost, "confirmed")
  expect((await tokens.transfer(config, second, first, "1")).status).toBe(200)
  // What has landed names the workspace's fee payer and not the mode's.
  const told = await cluster.connection.getSignaturesForAddress(deployment.chains.test!.feePayer.publicKey)
  expect(told.filter(({ memo }) => memo?.includes(lost))).toEqual([])
  await restore(backup)
  await goesOn()
  await idle()
  expect(await held(config, second)).toBe(before + 1n)
  for (const id of [...Object.values(operations), lost]) expect(await timesOnChain(id)).toBe(1)
  expect(await statusOf(lost)).toBe("confirmed")
  expect(await differences()).toEqual([])
  // The command was not repeated, so the mode's fee payer pays.
  const again = await mintLater(config, second, "1")
  await becomes(again, "confirmed")
  expect(await differences()).toEqual([])
})

test("without a complete history the server refuses requests until a node has one", async () => {
  const { config, second, operations, backup } = await backUpWithWork()
  await app.stop()
  use(backup)
  node.fault = forgets(await cluster.connection.getSlot())
  await serve()
  await waitFor(async () => /no node can say what has landed/.test(await health()), "health to report it")
  expect((await tokens.mint(config, second, "1")).json.error).toBe("chain_unavailable")
  // A history without what is known to have landed counts as incomplete, too.
  node.fault = async ({ method }, ask) => (method === "getSignaturesForAddress" ? { result: [] } : ask())
  await waitFor(async () => /leaves out .* which has landed/.test(await health()), "health to report it")
  expect(await isOpen()).toBe(false)
  expect(await statusOf(operations.mint)).toBe("queued")
  node.fault = null
  await goesOn()
  await idle()
  expect(await timesOnChain(operations.mint)).toBe(1)
  expect(await held(config, second)).toBe(8n)
  expect(await differences()).toEqual([])
})

test("a stuck node hides nothing", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await withoutWorker(() => mintLater(config, wallet, "5"))
  const backup = await backUp()
  const still = await frozen(cluster.url)
  await serve()
  await becomes(id, "confirmed")
  await app.stop()
  use(backup)
  node.fault = still
  await serve()
  await waitFor(async () => (await health()) !== "ok", "health to report it")
  expect(await isOpen()).toBe(false)
  node.fault = null
  await goesOn()
  await becomes(id, "confirmed")
  expect([await timesOnChain(id), await held(config, wallet)]).toEqual([1, 5n])
})

test("a failover loses commits while a worker is running, and nothing is done twice", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await withoutWorker(() => mintLater(config, wallet, "5"))
  const standby = await backUp()
  await serve()
  await becomes(id, "confirmed")
  // The standby takes over the primary's name, so only lost connections reveal it to the process.
  const [primary, promoted] = [nameOf(database), nameOf(standby)]
  await admin`alter database ${admin(primary)} allow_connections false`
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${primary}`
  await waitFor(
    () =>
      admin`alter database ${admin(primary)} rename to ${admin(`${primary}_gone`)}`.then(
        () => true,
        () => false,
      ),
    "the primary to be gone",
  )
  await admin`alter database ${admin(promoted)} rename to ${admin(primary)}`
  await waitFor(
    () =>
      goesOn().then(
        () => true,
        () => false,
      ),
    "it to be compared",
  )
  await becomes(id, "confirmed")
  expect([await timesOnChain(id), await held(config, wallet)]).toEqual([1, 5n])
  expect(await differences()).toEqual([])
})
