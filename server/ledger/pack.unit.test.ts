import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js"
import { expect, test } from "vitest"
import { newId } from "#server/lib/ids.ts"
import { attest, renew, revoke } from "#server/solana/credential.ts"
import { authorityPurpose, feePayerPurpose, localKeys } from "#server/solana/keys.ts"
import { attestationMemo, operationMemo } from "#server/solana/memo.ts"
import { computeBudget, MAX_TRANSACTION_BYTES, signTransactions, TransactionSize } from "#server/solana/transaction.ts"
import { type Planned, pack } from "./pack.ts"

const keys = localKeys(Buffer.alloc(32, 7))
const feePayer = keys(feePayerPurpose("test"))
const authority = keys(authorityPurpose("ws_a"))
const credential = {
  mint: Keypair.generate().publicKey,
  authority: authority.publicKey,
  feePayer: feePayer.publicKey,
}
const blockhash = Keypair.generate().publicKey.toBase58()
const memo = attestationMemo(
  "att_3mJr7AoUXx2Wqd4v1m9QWs",
  "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  new Date(1.9e12),
)
const wallet = () => Keypair.generate().publicKey

function planned(instructions: TransactionInstruction[], alone = false): Planned {
  const operation = {
    workspace_id: "ws_a",
    id: newId("op"),
    seq: 1n,
    kind: "attest",
    payload: {},
    writes: [],
    reads: [],
    mint_config: null,
    wallet: null,
    from_wallet: null,
    attempts: 0,
    alone,
    urgent: false,
    redo: false,
    expiries: 0,
  }
  return { operation, instructions, signers: [] }
}

const packed = (operations: Planned[]) => pack(operations, { feePayer: feePayer.publicKey, feeInstructions: [] })
const signed = async (instructions: TransactionInstruction[]) =>
  (await signTransactions([{ instructions, signers: [authority] }], { feePayer, blockhash }))[0]!

test("four attestations share a transaction, and the fifth begins the next", async () => {
  const batches = packed(Array.from({ length: 9 }, () => planned(attest(credential, wallet(), memo))))
  expect(batches.map((batch) => batch.length)).toEqual([4, 4, 1])
  for (const batch of batches) {
    const { wire } = await signed(batch.flatMap((one) => one.instructions))
    expect(wire.length).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES)
  }
})

test("an operation that failed together with others gets its own transaction", () => {
  const [first, second, third] = [
    planned(attest(credential, wallet(), memo)),
    planned(attest(credential, wallet(), memo), true),
    planned(attest(credential, wallet(), memo)),
  ]
  const batches = packed([first, second, third])
  expect(batches.map((batch) => batch.map((one) => one.operation.id))).toEqual(
    expect.arrayContaining([[second.operation.id], [first.operation.id, third.operation.id]]),
  )
})

test("an operation that takes rights away does not share a transaction with one that gives them", () => {
  const [first, second] = [planned(attest(credential, wallet(), memo)), planned(attest(credential, wallet(), memo))]
  first.operation.urgent = true
  expect(packed([first, second])).toEqual([[first], [second]])
})

test("packing nothing makes no transaction", () => {
  expect(packed([])).toEqual([])
})

test("the predicted size equals that of the compiled transaction, to the byte", async () => {
  const big = new TransactionInstruction({
    programId: SystemProgram.programId,
    keys: [],
    data: Buffer.alloc(200),
  })
  const cases: TransactionInstruction[][] = [
    attest(credential, wallet(), memo),
    renew(credential, wallet(), memo),
    revoke(credential, wallet(), { units: 1n, memoText: operationMemo(newId("op")) }),
    [
      ...attest(credential, wallet(), memo),
      ...revoke(credential, wallet(), { units: 1n, memoText: "vouch:1:op" }),
      ...computeBudget({ units: 1, price: 5 }),
    ],
    [...attest(credential, wallet(), memo), big],
  ]
  for (const instructions of cases) {
    const { wire } = await signed(instructions)
    expect(new TransactionSize(feePayer.publicKey).with(instructions).bytes).toBe(wire.length)
  }
})

test("a smart wallet off the curve has an account like any other", () => {
  const [pda] = PublicKey.findProgramAddressSync([Buffer.from("vault")], SystemProgram.programId)
  expect(PublicKey.isOnCurve(pda.toBytes())).toBe(false)
  expect(attest(credential, pda, memo)).toHaveLength(5)
})
