import { randomBytes } from "node:crypto"
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import bs58 from "bs58"
import { expect, test, vi } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { addSeconds } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { decodeInstructions } from "#server/solana/decode.ts"
import { memo } from "#server/solana/memo.ts"
import { RpcUnavailable } from "#server/solana/rpc/errors.ts"
import { Rpc } from "#server/solana/rpc/rpc.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { MULTISIG, vaultExecutes, walletOn } from "#test/fixtures/siws.ts"
import { newSigningWallet, type SigningWallet } from "#test/fixtures/wallet.ts"
import { app, key, provesWallets, refused, row, SCHEMA, signed, started } from "#test/fixtures/wallet-proof.ts"

// For wallets that cannot sign text: a transaction that can never land or, for a smart wallet, a memo on chain.
provesWallets()

const wireOf = (transaction: string) => VersionedTransaction.deserialize(Buffer.from(transaction, "base64"))
/** Signs a transaction as a wallet does, encoded as the page sends it. */
const signTransaction = (wallet: SigningWallet, transaction: VersionedTransaction) => {
  transaction.signatures = [wallet.sign(transaction.message.serialize())]
  return { transaction: Buffer.from(transaction.serialize()).toString("base64") }
}
const rebuilt = (wallet: SigningWallet, recentBlockhash: string, ...instructions: TransactionInstruction[]) =>
  new VersionedTransaction(
    new TransactionMessage({
      payerKey: new PublicKey(wallet.publicKey),
      recentBlockhash,
      instructions,
    }).compileToV0Message(),
  )

test("a wallet that only signs transactions signs one that can never land, with the same text", async () => {
  const { wallet, sessionId, page } = await started()
  const { text, transaction } = (await page.call("askForProof")).data
  const wire = wireOf(transaction)
  expect(wire.version).toBe("legacy")
  const [memo, ...none] = decodeInstructions(wire.message)
  expect(none).toEqual([])
  expect(memo).toMatchObject({
    memo: text,
    accounts: [{ address: wallet.address, signer: true }],
  })
  // No node accepts it, although its signature is valid.
  const signed = signTransaction(wallet, wire)
  const [node] = deployment.chains.test!.rpc.nodes.readers
  const sent = deployment.chains.test!.rpc.nodes.ask(
    (connection) => connection.sendRawTransaction(Buffer.from(signed.transaction, "base64")),
    { purpose: "reading", persists: false, needsHistory: false, only: node! },
  )
  await expect(sent).rejects.toThrow(/[Bb]lockhash not found/)
  expect((await page.call("proveWallet", signed)).status).toBe(200)
  expect((await row(sessionId)).wallet_proved_at).toBeInstanceOf(Date)
  refused(await page.call("proveWallet", signed), "request")
})

test("only that transaction counts, including the instructions that wallets add", async () => {
  const { wallet, sessionId, page } = await started()
  const other = newSigningWallet()
  const { text, transaction } = (await page.call("askForProof")).data
  const never = wireOf(transaction).message.recentBlockhash
  const key = new PublicKey(wallet.publicKey)
  const proof = memo(text, [key])
  const pay = SystemProgram.transfer({ fromPubkey: key, toPubkey: key, lamports: 0 })
  const send = (transaction: VersionedTransaction, by = wallet) =>
    page.call("proveWallet", signTransaction(by, transaction))
  // A transaction that a cluster accepts may have been signed for another purpose.
  refused(await send(rebuilt(wallet, bs58.encode(randomBytes(32)), proof)), "request")
  refused(await send(rebuilt(wallet, never, memo(text.replace("localhost", "localhosT"), [key]))), "domain")
  refused(await send(rebuilt(wallet, never, memo(`${text}!`, [key]))), "session")
  refused(await send(rebuilt(wallet, never, memo(text))), "message")
  refused(await send(rebuilt(wallet, never, proof, proof)), "message")
  refused(await send(rebuilt(wallet, never, proof, pay)), "message")
  refused(await send(rebuilt(wallet, never)), "message")
  refused(await send(rebuilt(other, never, memo(text, [new PublicKey(other.publicKey)])), other), "message")
  refused(await send(rebuilt(wallet, never, proof), other), "signature")
  const whole = Buffer.from(signTransaction(wallet, wireOf(transaction)).transaction, "base64")
  for (const bytes of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.alloc(1)]), Buffer.alloc(0)])
    refused(await page.call("proveWallet", { transaction: bytes.toString("base64") }), "message")
  expect((await row(sessionId)).wallet_proved_at).toBeNull()
  const fees = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 })
  expect((await send(rebuilt(wallet, never, fees, proof))).status).toBe(200)
})

test("a wallet with a key cannot prove itself by a memo on chain, because any program that it calls could add one", async () => {
  const { wallet, sessionId, page } = await started()
  const { text, memo } = (await page.call("askForProof")).data
  const read = vi.spyOn(Rpc.prototype, "transaction")
  read.mockResolvedValue(vaultExecutes(new PublicKey(wallet.publicKey), memo))
  refused(await page.call("proveOnChain", { transaction: bs58.encode(randomBytes(64)) }), "session")
  read.mockRestore()
  expect((await row(sessionId)).wallet_proved_at).toBeNull()
  expect((await page.prove(text, signed(wallet, text))).status).toBe(200)
})

test("a smart wallet signs on chain: its request stays valid, and its vault signs inside another program", async () => {
  const [vault] = PublicKey.findProgramAddressSync([randomBytes(32)], MULTISIG)
  const { sessionId } = await app.startSession(key, addressOf(vault), SCHEMA)
  const page = walletOn(app, sessionId)
  expect(await page.view()).toMatchObject({ state: "open", walletProof: "needed", provesOnChain: true })
  const { memo: text } = (await page.call("askForProof")).data
  await moveClock(addSeconds(new Date(), 3600))
  expect((await page.call("askForProof")).data.memo).toBe(text)
  const signature = bs58.encode(randomBytes(64))
  const found = vaultExecutes(vault, text)
  const read = vi.spyOn(Rpc.prototype, "transaction")
  read.mockRejectedValueOnce(new RpcUnavailable("down"))
  expect(await page.call("proveOnChain", { transaction: signature })).toMatchObject({
    status: 503,
    error: { error: "chain_unavailable" },
  })
  read.mockResolvedValueOnce({ ...found, meta: { ...found.meta!, err: "AccountInUse" } })
  refused(await page.call("proveOnChain", { transaction: signature }), "transaction")
  read.mockResolvedValueOnce(vaultExecutes(PublicKey.unique(), text))
  refused(await page.call("proveOnChain", { transaction: signature }), "memo")
  // A program that the multisig called forwarded the vault's signature.
  read.mockResolvedValueOnce(vaultExecutes(vault, text, { stackHeight: 3 }))
  refused(await page.call("proveOnChain", { transaction: signature }), "memo")
  read.mockResolvedValueOnce(vaultExecutes(vault, `${text}!`))
  refused(await page.call("proveOnChain", { transaction: signature }), "memo")
  expect(await page.call("proveOnChain", { transaction: "no signature" })).toMatchObject({ status: 422 })
  read.mockResolvedValueOnce(null)
  refused(await page.call("proveOnChain", { transaction: signature }), "transaction")
  read.mockResolvedValueOnce(found)
  expect((await page.call("proveOnChain", { transaction: signature })).data).toMatchObject({
    walletProof: "given",
  })
})
