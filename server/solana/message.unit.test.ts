import { PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from "@solana/web3.js"
import fc from "fast-check"
import { expect, test } from "vitest"
import { addressOf } from "./addresses.ts"
import { compileMessage, withSignatures } from "./message.ts"

const keys = Array.from({ length: 40 }, (_, n) => new PublicKey(Uint8Array.from({ length: 32 }, (_, i) => n * 7 + i)))
const key = fc.integer({ min: 0, max: keys.length - 1 }).map((n) => keys[n]!)
const instruction = fc
  .record({
    programId: key,
    keys: fc.array(fc.record({ pubkey: key, isSigner: fc.boolean(), isWritable: fc.boolean() }), {
      maxLength: 12,
    }),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  })
  .map((fields) => new TransactionInstruction(fields))
const blockhash = keys[39]!.toBase58()

test("a message has the same bytes and signers as in web3.js", () => {
  const compare = (payer: PublicKey, instructions: TransactionInstruction[]) => {
    const theirs = new TransactionMessage({ payerKey: payer, recentBlockhash: blockhash, instructions })
    const legacy = theirs.compileToLegacyMessage()
    const ours = compileMessage(payer, blockhash, instructions)
    // web3.js has a buffer of one packet, and anything larger is never sent.
    if (ours.bytes.length <= 1232) expect(ours.bytes).toEqual(Buffer.from(legacy.serialize()))
    const signers = legacy.accountKeys.slice(0, legacy.header.numRequiredSignatures)
    expect(ours.signers).toEqual(signers.map(addressOf))
  }
  fc.assert(fc.property(key, fc.array(instruction, { maxLength: 6 }), compare), { numRuns: 500 })
})

test("signatures are in the order of the signers, with zeros for missing ones", () => {
  const [payer, signer, other] = keys as [PublicKey, PublicKey, PublicKey]
  const signs = (pubkey: PublicKey) => ({ pubkey, isSigner: true, isWritable: false })
  const one = new TransactionInstruction({
    programId: keys[9]!,
    keys: [signs(signer), signs(other)],
    data: Buffer.of(1),
  })
  const message = compileMessage(payer, blockhash, [one])
  const of = (n: number) => new Uint8Array(64).fill(n)
  const signatures = new Map([
    [addressOf(other), of(2)],
    [addressOf(payer), of(1)],
  ])
  const read = VersionedTransaction.deserialize(withSignatures(message, signatures))
  expect(read.signatures).toEqual([of(1), of(0), of(2)])
  expect(Buffer.from(read.message.serialize())).toEqual(message.bytes)
})
