import { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { type Fault, onFork, signatureOf } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { createPaymentMint, funded, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture, readPayments, someWallet, untilPaid } from "#test/fixtures/payments.ts"
import { differences } from "#test/matchers/credential.ts"

// What others do, and what a node reports, between the signature of a payment and its end.

let cluster: FaultyChain
let app: TestApp
let key: TestKey
let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>

beforeAll(async () => {
  cluster = await startFaultyChain({ slotMs: 50 })
  app = await startTestApp({ SOLANA_RPC_URL: cluster.node.url })
  await cluster.fundFeePayers()
  key = await app.key()
  coin = await createPaymentMint(cluster.connection)
  payments = paymentFixture(key.workspaceId, coin)
  allowMints("test", coin)
  await payments.fund(1_000_000n)
})
afterEach(() => {
  cluster.node.fault = null
})
afterAll(async () => {
  await app.stop()
  await cluster.close()
})

/** The node accepts what is sent to it and keeps it back. */
const keepingBack: Fault = async ({ method, params }, ask) =>
  method === "sendTransaction" ? { result: signatureOf(params[0] as string) } : ask()

const isFinal = async (signature: string) => {
  const [row] = await sql<{ final: boolean }[]>`
    select finalized_at is not null as final from transactions where signature = ${signature}`
  return row!.final
}

test("an account that is frozen, created or closed after the signature costs a try and no money", async () => {
  const [frozen, created] = [someWallet(), someWallet()]
  const closing = await funded(cluster.connection, 1)
  const closed = addressOf(closing.publicKey)
  await coin.open(new PublicKey(frozen))
  await coin.fund(closing.publicKey, 1n)
  cluster.node.fault = keepingBack
  const wallets = [frozen, created, closed]
  const paid = await whileLedgerPaused(() => payments.pay(...wallets.map((wallet) => ({ wallet, amount: 3n }))))
  const ids = paid.map(({ operationId }) => operationId)
  const areSigned = async () => (await readPayments(ids)).every(({ status }) => status === "submitted")
  await waitFor(areSigned, "the payments to be signed")
  await coin.freeze(new PublicKey(frozen))
  await coin.open(new PublicKey(created))
  await coin.empty(closing)
  cluster.node.fault = null
  const ended = await untilPaid(paid)
  expect(ended.map(({ status, error_code }) => [status, error_code])).toEqual([
    ["failed", "recipient_account_frozen"],
    ["confirmed", null],
    ["confirmed", null],
  ])
  expect(await Promise.all(wallets.map((wallet) => payments.received(wallet)))).toEqual([0n, 3n, 3n])
  expect(await differences()).toEqual([])
})

test("a payment waits for an earlier one that is about to empty the treasury, and then fails", async () => {
  const { workspaceId } = await app.key()
  const own = paymentFixture(workspaceId, coin)
  await own.fund(10n)
  cluster.node.fault = keepingBack
  const [first] = await own.pay({ amount: 10n })
  await waitFor(async () => (await readPayments([first!.operationId]))[0]!.status === "submitted", "the signature")
  // It may not take what the first one is about to take.
  const [second] = await own.pay({ amount: 10n })
  cluster.node.fault = null
  expect(await untilPaid([first!, second!])).toMatchObject([
    { status: "confirmed" },
    { status: "failed", error_code: "treasury_insufficient", signature: null, attempts: 0 },
  ])
})

test("a payment that vanished with its slot is made once more, and not twice", async () => {
  const wallet = someWallet()
  cluster.node.fault = onFork()
  const [paid] = await payments.pay({ wallet, amount: 7n })
  const [vanished] = await untilPaid([paid!])
  expect(vanished!.status).toBe("confirmed")
  expect(await payments.received(wallet)).toBe(0n)
  // The wallet's account is created on the other fork.
  await coin.open(new PublicKey(wallet))
  const swallows: Fault = async ({ method, params }, ask) => {
    const sent = method === "sendTransaction" ? signatureOf(params[0] as string) : null
    return sent === vanished!.signature ? { result: sent } : ask()
  }
  cluster.node.fault = swallows
  await cluster.pass(400)
  const isMissed = (line: string) => line.includes("has vanished") && line.includes(vanished!.signature!)
  await waitFor(async () => app.log.some(isMissed), "it to be missed")
  cluster.node.fault = null
  const isRedone = async () => {
    const [again] = await readPayments([paid!.operationId])
    return again!.status === "confirmed" && again!.signature !== vanished!.signature && isFinal(again!.signature!)
  }
  await waitFor(isRedone, "it to be made again")
  expect(await payments.received(wallet)).toBe(7n)
  expect(await differences()).toEqual([])
})

test("a vanished payment to an account that is now frozen waits until it is thawed", async () => {
  const wallet = someWallet()
  await coin.open(new PublicKey(wallet))
  cluster.node.fault = onFork()
  const [paid] = await payments.pay({ wallet, amount: 7n })
  const [vanished] = await untilPaid([paid!])
  await coin.freeze(new PublicKey(wallet))
  cluster.node.fault = async ({ method, params }, ask) => {
    const sent = method === "sendTransaction" ? signatureOf(params[0] as string) : null
    return sent === vanished!.signature ? { result: sent } : ask()
  }
  await cluster.pass(400)
  const isQueuedAgain = async () => (await readPayments([paid!.operationId]))[0]!.redo
  await waitFor(isQueuedAgain, "it to be queued again")
  const isPostponed = (line: string) => line.includes("it cannot be done again") && line.includes(paid!.operationId)
  await waitFor(async () => app.log.some(isPostponed), "it to wait")
  await coin.thaw(new PublicKey(wallet))
  await sql`update operations set not_before = null where id = ${paid!.operationId}`
  expect(await untilPaid([paid!])).toMatchObject([{ status: "confirmed", error_code: null }])
  expect(await payments.received(wallet)).toBe(7n)
})
