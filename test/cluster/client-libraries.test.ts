import * as kit from "@solana/kit"
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startLocalnet } from "#localnet"
import { disconnect, until } from "#localnet/testing"
import { findValidator, startValidator } from "#test/fixtures/validator.ts"

// Solana's client libraries on npm work with the local network just as with a validator. `npm run clients` tries those
// in other languages.

const validator = findValidator()
if (validator === null) console.warn("No solana-test-validator: client libraries run against the local network only.")
const localnet = async () => {
  const { url, close } = await startLocalnet({ slotMs: 20 })
  return { url, stop: close }
}
const chains = [
  ["the local network", localnet],
  ...(validator === null ? [] : [["a validator", () => startValidator(validator)] as const]),
] as const

const SOL = 1_000_000_000
const SYSTEM = "11111111111111111111111111111111"
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

describe.each(chains)("on %s", (_name, start) => {
  let chain: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    chain = await start()
  }, 90_000)
  afterAll(() => chain.stop())

  test("@solana/kit reads every form, gets every notification, and confirms with its own factories", async () => {
    const { hostname, port } = new URL(chain.url)
    const rpc = kit.createSolanaRpc(kit.devnet(chain.url))
    const rpcSubscriptions = kit.createSolanaRpcSubscriptions(kit.devnet(`ws://${hostname}:${Number(port) + 1}`))
    const ending = new AbortController()
    const { signal: abortSignal } = ending
    const [payer, to] = await Promise.all([kit.generateKeyPairSigner(), kit.generateKeyPairSigner()])
    const airdrop = kit.airdropFactory({ rpc, rpcSubscriptions })
    const confirmed = { commitment: "confirmed" } as const
    await airdrop({
      ...confirmed,
      lamports: kit.lamports(10n * BigInt(SOL)),
      recipientAddress: payer.address,
    })

    const { value: balance } = await rpc.getBalance(payer.address, confirmed).send()
    expect(balance).toBe(10n * BigInt(SOL))
    for (const encoding of ["base64", "base64+zstd", "jsonParsed"] as const) {
      const { value } = await rpc.getAccountInfo(payer.address, { ...confirmed, encoding: encoding as "base64" }).send()
      expect(value).toMatchObject({ lamports: balance, space: 0n })
    }
    expect(await rpc.getProgramAccounts(kit.address(TOKEN_2022), { ...confirmed, encoding: "base64" }).send()).toEqual(
      [],
    )
    expect((await rpc.getEpochInfo().send()).epoch).toBe(0n)
    expect((await rpc.getSupply().send()).value.total).toBeGreaterThan(0n)
    expect((await rpc.getVoteAccounts().send()).current).toHaveLength(1)
    expect((await rpc.getBlockProduction().send()).value.range.firstSlot).toBe(0n)

    /** Kit drops notifications that arrive before it is asked for them. */
    const first = async <T>(pending: kit.PendingRpcSubscriptionsRequest<T>): Promise<() => Promise<T>> => {
      const notifications = await pending.subscribe({ abortSignal })
      const next = notifications[Symbol.asyncIterator]().next()
      return async () => (await next).value as T
    }
    const account = await first(rpcSubscriptions.accountNotifications(to.address, { ...confirmed, encoding: "base64" }))
    const program = await first(
      rpcSubscriptions.programNotifications(kit.address(SYSTEM), { ...confirmed, encoding: "base64" }),
    )
    const logs = await first(rpcSubscriptions.logsNotifications("all", confirmed))
    const slot = await first(rpcSubscriptions.slotNotifications())
    const root = await first(rpcSubscriptions.rootNotifications())

    const { value: latestBlockhash } = await rpc.getLatestBlockhash(confirmed).send()
    const data = Buffer.alloc(12)
    data.writeUInt32LE(2)
    data.writeBigUInt64LE(BigInt(SOL), 4)
    const instruction = {
      programAddress: kit.address(SYSTEM),
      accounts: [
        { address: payer.address, role: kit.AccountRole.WRITABLE_SIGNER },
        { address: to.address, role: kit.AccountRole.WRITABLE },
      ],
      data,
    }
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (one) => kit.setTransactionMessageFeePayerSigner(payer, one),
      (one) => kit.setTransactionMessageLifetimeUsingBlockhash(latestBlockhash, one),
      (one) => kit.appendTransactionMessageInstruction(instruction, one),
    )
    const signed = await kit.signTransactionMessageWithSigners(message)
    kit.assertIsTransactionWithinSizeLimit(signed)
    kit.assertIsTransactionWithBlockhashLifetime(signed)
    const wire = kit.getBase64EncodedWireTransaction(signed)
    const simulated = await rpc
      .simulateTransaction(wire, { ...confirmed, encoding: "base64", innerInstructions: true })
      .send()
    expect(simulated.value).toMatchObject({ err: null, innerInstructions: [] })
    await kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(signed, confirmed)
    expect((await account()).value.lamports).toBe(BigInt(SOL))
    expect((await program()).value.account.owner).toBe(SYSTEM)
    expect((await logs()).value.err).toBeNull()
    expect(await slot()).toMatchObject({ slot: expect.any(BigInt) })
    expect(await root()).toEqual(expect.any(BigInt))

    const signature = kit.getSignatureFromTransaction(signed)
    for (const encoding of ["json", "jsonParsed", "base64"] as const) {
      const options = {
        ...confirmed,
        encoding: encoding as "json",
        maxSupportedTransactionVersion: 0,
      } as const
      expect((await rpc.getTransaction(signature, options).send())?.meta).toMatchObject({
        err: null,
        fee: 5_000n,
      })
    }
    const listed = await rpc.getSignaturesForAddress(to.address, confirmed).send()
    expect(listed.map((one) => one.signature)).toEqual([signature])
    ending.abort()
  })

  test("@solana/web3.js gets every notification and does not poll", async () => {
    const connection = new Connection(chain.url, "confirmed")
    const inner = connection as unknown as {
      _rpcWebSocket: { call: (...args: unknown[]) => unknown }
      _subscriptionsByHash: Record<string, { state: string }>
    }
    const socket = inner._rpcWebSocket
    let calls = 0
    const call = socket.call.bind(socket)
    socket.call = (...args) => {
      calls += 1
      return call(...args)
    }
    const [payer, to] = [Keypair.generate(), Keypair.generate().publicKey]
    await connection.confirmTransaction(await connection.requestAirdrop(payer.publicKey, 10 * SOL))
    const heard = new Set<string>()
    const hear = (what: string) => () => void heard.add(what)
    connection.onAccountChange(to, hear("account"))
    connection.onProgramAccountChange(new PublicKey(SYSTEM), hear("program"), { filters: [{ dataSize: 0 }] })
    connection.onLogs(payer.publicKey, hear("logs"))
    connection.onSlotChange(hear("slot"))
    connection.onSlotUpdate(hear("update"))
    connection.onRootChange(hear("root"))
    await until(async () => Object.values(inner._subscriptionsByHash).every(({ state }) => state === "subscribed"))
    const blockhash = (await connection.getLatestBlockhash()).blockhash
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash })
    transaction.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: SOL })).sign(payer)
    const signature = await connection.sendRawTransaction(transaction.serialize())
    connection.onSignature(signature, hear("signature"))
    await until(async () => heard.size === 7)
    expect(calls).toBeLessThan(20)
    const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 })
    expect(parsed?.transaction.message.instructions[0]).toMatchObject({ parsed: { type: "transfer" } })
    await disconnect(connection)
  })
})
