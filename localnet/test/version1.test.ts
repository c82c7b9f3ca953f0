import * as kit from "@solana/kit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "../src/index.ts"
import { confirmed, plainConnection, rpc, SOL } from "./client.ts"

const SYSTEM = kit.address("11111111111111111111111111111111")
const ALL = { commitment: "confirmed", maxSupportedTransactionVersion: 1 }

let localnet: Localnet
let payer: kit.KeyPairSigner
beforeAll(async () => {
  localnet = await startLocalnet({ slotMs: 10 })
  payer = await kit.generateKeyPairSigner()
  const connection = plainConnection(localnet.url)
  await confirmed(connection, (await rpc(localnet.url, "requestAirdrop", [payer.address, 10 * SOL])).result as string)
})
afterAll(() => localnet.close())

/** Transfers of a hundredth of a SOL each, in one transaction of version 1. */
async function version1(transfers: number): Promise<Buffer> {
  const { result } = await rpc(localnet.url, "getLatestBlockhash", [{ commitment: "confirmed" }])
  const { value } = result as { value: { blockhash: kit.Blockhash; lastValidBlockHeight: bigint } }
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(BigInt(SOL / 100), 4)
  const instructions = await Promise.all(
    Array.from({ length: transfers }, async () => ({
      programAddress: SYSTEM,
      accounts: [
        { address: payer.address, role: kit.AccountRole.WRITABLE_SIGNER },
        { address: (await kit.generateKeyPairSigner()).address, role: kit.AccountRole.WRITABLE },
      ],
      data,
    })),
  )
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 1 }),
    (one) => kit.setTransactionMessageFeePayerSigner(payer, one),
    (one) => kit.setTransactionMessageLifetimeUsingBlockhash(value, one),
    (one) => kit.setTransactionMessageComputeUnitLimit(60_000, one),
    (one) => kit.setTransactionMessageLoadedAccountsDataSizeLimit(1 << 20, one),
    (one) => kit.setTransactionMessagePriorityFeeLamports(7n, one),
    (one) => kit.appendTransactionMessageInstructions(instructions, one),
  )
  const signed = await kit.signTransactionMessageWithSigners(message)
  return Buffer.from(kit.getBase64EncodedWireTransaction(signed as never), "base64")
}

const send = async (wire: Buffer, options: object = {}) =>
  rpc(localnet.url, "sendTransaction", [
    wire.toString("base64"),
    { encoding: "base64", preflightCommitment: "confirmed", ...options },
  ])

test("a transaction of version 1 may exceed a packet, lands, and is returned to clients that support the version", async () => {
  const wire = await version1(30)
  expect(wire.length).toBeGreaterThan(1232)
  const one = await version1(1)
  const [first, second] = [(await send(wire)).result as string, (await send(one)).result as string]
  const connection = plainConnection(localnet.url)
  for (const signature of [first, second]) expect(await confirmed(connection, signature)).toMatchObject({ err: null })
  const { result } = await rpc(localnet.url, "getTransaction", [second, ALL])
  expect(result).toMatchObject({
    meta: { err: null, fee: 5_007 },
    transaction: {
      message: {
        transactionConfig: {
          computeUnitLimit: 60_000,
          heapSize: null,
          loadedAccountsDataSizeLimit: 1 << 20,
          priorityFee: 7,
        },
      },
    },
    version: 1,
  })
  for (const maxSupportedTransactionVersion of [0, null]) {
    const options = { ...ALL, maxSupportedTransactionVersion }
    expect((await rpc(localnet.url, "getTransaction", [second, options])).error?.code).toBe(-32015)
  }
  const { result: listed } = await rpc(localnet.url, "getSignaturesForAddress", [
    payer.address,
    { commitment: "confirmed" },
  ])
  expect((listed as { signature: string }[]).map(({ signature }) => signature)).toContain(first)
})

test("no damaged transaction of version 1 crashes it or lands", async () => {
  const wire = await version1(1)
  const balance = async () =>
    ((await rpc(localnet.url, "getBalance", [payer.address])).result as { value: number }).value
  const before = await balance()
  for (let at = 0; at < wire.length; at += 1)
    for (const bits of [0xff, 1]) {
      const flipped = Buffer.from(wire)
      flipped[at] = flipped[at]! ^ bits
      for (const bytes of [flipped, wire.subarray(0, at)])
        expect([-32602, undefined]).toContain((await send(bytes, { skipPreflight: true })).error?.code)
    }
  expect(await balance()).toBe(before)
  expect((await rpc(localnet.url, "getHealth")).result).toBe("ok")
})
