import { setTimeout as sleep } from "node:timers/promises"
import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { gatherEvidence, resolveOperation } from "#server/domain/operations/resolve-operation.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { readOperationDetail } from "#server/domain/tokens/operation-detail.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import {
  type Fault,
  forgets,
  noHistory,
  type RpcProxy,
  replying,
  rpcError,
  signatureOf,
  withoutMemos,
} from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { operatorOf } from "#test/fixtures/operator.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

// A chain other than the embedded one, behind a node that loses its history.

let cluster: FaultyChain
let node: RpcProxy
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string

beforeAll(async () => {
  cluster = await startFaultyChain()
  node = cluster.node
  app = await startTestApp({ SOLANA_RPC_URL: node.url })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
})
afterEach(() => {
  node.fault = null
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

/** A wallet's balance on chain. */
async function held(wallet: Address): Promise<bigint> {
  const account = tokenAccountOf(assetMintOf(key.workspaceId, config), publicKeyOf(wallet))
  const info = await cluster.connection.getAccountInfo(account)
  return info === null ? 0n : unpackAccount(account, info, TOKEN_2022_PROGRAM_ID).amount
}

const later = { headers: { Prefer: "respond-async" } }
const operationOf = async (id: string) => {
  const [row] = await sql<{ status: string; signature: string | null }[]>`
    select status, signature from operations where id = ${id}`
  return row!
}
const doubtOf = async (id: string) => {
  const [row] = await sql<{ doubt: string | null }[]>`
    select t.doubt from operations o join transactions t on t.signature = o.signature where o.id = ${id}`
  return row?.doubt ?? null
}
const savedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`).length
const becomes = (id: string, status: string) =>
  waitFor(async () => (await operationOf(id)).status === status, `${id} to be ${status}`)
/** Advances the chain until nothing is signed with an old blockhash, which is cached for a second. */
async function warp(): Promise<void> {
  await cluster.pass(400)
  await sleep(1000)
}
const slotNow = () => cluster.connection.getSlot("confirmed")

/** Mints, and hides that the transaction landed until long after its blockhash became invalid. */
async function landsUnseen(wallet: Address): Promise<string> {
  node.fault = replying(rpcError(-32005), ["getSignatureStatuses", "getEpochInfo"])
  const id = (await tokens.mint(config, wallet, "1", later)).json.operation_id as string
  await waitFor(async () => (await held(wallet)) === 1n, "it to land")
  await warp()
  return id
}

/** Mints in a transaction that never reaches the chain. */
async function isLost(wallet: Address, fault: Fault | null = null): Promise<string> {
  const drop: Fault = async (call, ask) =>
    call.method === "sendTransaction" ? { result: "x" } : fault ? fault(call, ask) : ask()
  node.fault = drop
  const id = (await tokens.mint(config, wallet, "1", later)).json.operation_id as string
  await becomes(id, "submitted")
  await warp()
  return id
}

/** The node returns no status. */
const nullStatuses: Fault = async ({ method, params }, ask) =>
  method === "getSignatureStatuses"
    ? { result: { context: { slot: await slotNow() }, value: (params[0] as string[]).map(() => null) } }
    : ask()

const one = async () => (await tokens.wallets(1))[0]!

test("a transaction older than the node's history is not signed again, and settled when a node has it", async () => {
  const wallet = await one()
  const id = await landsUnseen(wallet)
  const { signature } = await operationOf(id)
  node.fault = forgets(await slotNow())
  await waitFor(async () => (await doubtOf(id)) !== null, "the doubt to be noted")
  expect(await doubtOf(id)).toMatch(/no history before slot/)
  expect(app.log.some((line) => line.includes("no node can say") && line.includes(signature!))).toBe(true)
  const chainSays = async () => (await app.request({ method: "GET", path: "/health" })).json.checks.chain
  await waitFor(async () => /may have landed or not/.test(await chainSays()), "health to report it")
  const isInDoubt = async () => (await readOperationDetail(operatorOf(key), id)).transaction?.in_doubt
  expect(await isInDoubt()).toBe(true)
  expect(await savedFor(id)).toBe(1)
  node.fault = null
  await becomes(id, "confirmed")
  expect(await isInDoubt()).toBe(false)
  expect((await operationOf(id)).signature).toBe(signature)
  expect(await held(wallet)).toBe(1n)
})

test("a node without any history decides nothing and delays no one else", async () => {
  const wallet = await one()
  const id = await landsUnseen(wallet)
  node.fault = noHistory
  const other = await one()
  const next = (await tokens.mint(config, other, "1", later)).json.operation_id as string
  await becomes(next, "confirmed")
  expect((await operationOf(id)).status).toBe("submitted")
  node.fault = null
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(1)
})

test("an unreadable history of one workspace delays no other, and is reported", async () => {
  const other = await app.key({ plan: "growth" })
  const theirs = tokenFixture(app, other)
  const theirConfig = await theirs.config()
  const [theirWallet] = await theirs.wallets(1)
  const wallet = await one()
  const authority = addressOf(deployment.keys(authorityPurpose(key.workspaceId)).publicKey)
  const refused: Fault = async ({ method, params }, ask) =>
    method === "getSignaturesForAddress" && params[0] === authority ? rpcError(-32603) : ask()
  const drop: Fault = async (call, ask) => (call.method === "sendTransaction" ? { result: "x" } : refused(call, ask))
  node.fault = drop
  const id = (await tokens.mint(config, wallet, "1", later)).json.operation_id as string
  const next = (await theirs.mint(theirConfig, theirWallet, "1", later)).json.operation_id as string
  for (const one of [id, next]) await becomes(one, "submitted")
  await warp()
  node.fault = refused
  await becomes(next, "confirmed")
  await waitFor(async () => (await doubtOf(id)) !== null, "the doubt to be noted")
  expect((await operationOf(id)).status).toBe("submitted")
  node.fault = null
  await becomes(id, "confirmed")
  expect(await held(wallet)).toBe(1n)
})

test("an empty history and another chain's history prove nothing", async () => {
  const wallet = await one()
  const id = await landsUnseen(wallet)
  node.fault = async ({ method, params }, ask) => {
    if (method === "getSignaturesForAddress") return { result: [] }
    if (method === "getMultipleAccounts")
      return {
        result: { context: { slot: await slotNow() }, value: (params[0] as string[]).map(() => null) },
      }
    return nullStatuses({ id: 1, method, params }, ask)
  }
  await waitFor(async () => (await doubtOf(id)) !== null, "the doubt to be noted")
  expect(await doubtOf(id)).toMatch(/leaves out .* which has landed/)
  expect(await savedFor(id)).toBe(1)
  node.fault = null
  await becomes(id, "confirmed")
  expect(await held(wallet)).toBe(1n)
})

test("a history without a transaction proves nothing if the chain shows its effect", async () => {
  const wallet = await one()
  const id = await landsUnseen(wallet)
  const { signature } = await operationOf(id)
  // The history reaches far enough back and lists everything except this transaction.
  node.fault = async (call, ask) => {
    if (call.method !== "getSignaturesForAddress") return nullStatuses(call, ask)
    const reply = await ask()
    const { result } = reply as { result: { signature: string }[] }
    return { result: result.filter((one) => one.signature !== signature) }
  }
  await waitFor(async () => (await doubtOf(id)) !== null, "the doubt to be noted")
  expect(await doubtOf(id)).toMatch(/the effect of .* is on chain/)
  expect(await savedFor(id)).toBe(1)
  node.fault = null
  await becomes(id, "confirmed")
  expect(await held(wallet)).toBe(1n)
})

test("a history without memos decides nothing", async () => {
  const wallet = await one()
  const id = await isLost(wallet, withoutMemos)
  await waitFor(async () => (await doubtOf(id)) !== null, "the doubt to be noted")
  expect(await doubtOf(id)).toMatch(/leaves out the memo of/)
  expect(await savedFor(id)).toBe(1)
  node.fault = null
  await becomes(id, "confirmed")
  expect(await held(wallet)).toBe(1n)
})

test("a lost transaction is signed again once, and lands once", async () => {
  const wallet = await one()
  const id = await isLost(wallet)
  await waitFor(async () => (await savedFor(id)) > 1, "it to be signed again")
  node.fault = null
  await becomes(id, "confirmed")
  expect(await held(wallet)).toBe(1n)
})

test("a last valid height that is far too high does not block a transaction forever", async () => {
  const wallet = await one()
  // Only the first one: more slots may pass than it waits for, and the next one has to land.
  let first: string | null = null
  node.fault = async ({ method, params }, ask) => {
    if (method === "sendTransaction") {
      const sent = signatureOf(params[0] as string)
      first ??= sent
      return sent === first ? { result: sent } : ask()
    }
    const reply = (await ask()) as { result: { value: { lastValidBlockHeight: number } } }
    if (method === "getLatestBlockhash") reply.result.value.lastValidBlockHeight += 22_000_000
    return reply
  }
  const id = (await tokens.mint(config, wallet, "1", later)).json.operation_id as string
  await waitFor(async () => first !== null, "it to be sent, and lost")
  await warp()
  node.fault = null
  await warp()
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(2)
  expect(await held(wallet)).toBe(1n)
})

test("a short page of a history is not its end", async () => {
  const [wallet, ...others] = await tokens.wallets(4)
  const id = await landsUnseen(wallet!)
  const { signature } = await operationOf(id)
  const refused = replying(rpcError(-32005), ["getEpochInfo"])
  const unknown: Fault = async ({ method, params }, ask) => {
    const reply = (await ask()) as { result: { context: object; value: unknown[] } }
    if (method !== "getSignatureStatuses") return reply
    const { context, value } = reply.result
    return {
      result: {
        context,
        value: value.map((one, i) => ((params[0] as string[])[i] === signature ? null : one)),
      },
    }
  }
  node.fault = (call, ask) => (call.method === "getEpochInfo" ? refused(call, ask) : unknown(call, ask))
  for (const next of others) await tokens.mint(config, next, "1")
  node.fault = (call, ask) =>
    call.method === "getSignaturesForAddress"
      ? ask(call.method, [call.params[0], { ...(call.params[1] as object), limit: 2 }])
      : unknown(call, ask)
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(1)
  expect(await held(wallet!)).toBe(1n)
})

test("a lost transaction waits until a node can say that it is lost", async () => {
  const wallet = await one()
  const id = await isLost(wallet, forgets((await slotNow()) + 300))
  await waitFor(async () => (await doubtOf(id)) !== null, "the doubt to be noted")
  expect(await savedFor(id)).toBe(1)
  node.fault = null
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(2)
  expect(await held(wallet)).toBe(1n)
})

test("a person decides what no node can, to sign again or to settle, and the audit log records it", async () => {
  const [lost, landed] = [await one(), await one()]
  const lostId = await isLost(lost, forgets((await slotNow()) + 1000))
  await waitFor(async () => (await doubtOf(lostId)) !== null, "the doubt to be noted")
  expect((await gatherEvidence(lostId)).chain?.verdict).toMatchObject({ end: "doubt" })
  node.fault = forgets(await slotNow())
  expect(await resolveOperation(lostId, "lost", "The explorer does not know it")).toBe(null)
  await becomes(lostId, "confirmed")
  expect(await held(lost)).toBe(1n)

  const landedId = await landsUnseen(landed)
  node.fault = forgets(await slotNow())
  await waitFor(async () => (await doubtOf(landedId)) !== null, "the doubt to be noted")
  expect(await resolveOperation(landedId, "landed", "The explorer shows it")).toBe(null)
  expect((await operationOf(landedId)).status).toBe("confirmed")
  expect(await savedFor(landedId)).toBe(1)
  expect(await held(landed)).toBe(1n)
  expect(await resolveOperation(landedId, "lost", "I was too late")).toMatch(/no transaction in doubt/)

  const lines = await sql`
    select subject, actor, detail ->> 'as' as decided, detail ->> 'reason' as reason from audit_entries
    where action = 'operation.resolved' order by seq`
  expect([...lines]).toEqual([
    { subject: lostId, actor: "operator", decided: "lost", reason: "The explorer does not know it" },
    { subject: landedId, actor: "operator", decided: "landed", reason: "The explorer shows it" },
  ])
})

test("what a node reports overrides a person's decision", async () => {
  const wallet = await one()
  const id = await landsUnseen(wallet)
  node.fault = replying(rpcError(-32005), ["getSignatureStatuses"])
  expect(await resolveOperation(id, "lost", "I think so")).toMatch(/It is on chain/)
  node.fault = null
  await becomes(id, "confirmed")
  expect(await resolveOperation(id, "lost", "I think so")).toMatch(/no transaction in doubt/)
  expect(await held(wallet)).toBe(1n)
})
