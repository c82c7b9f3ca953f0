import {
  createAssociatedTokenAccountIdempotentInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token"
import { LAMPORTS_PER_SOL, type PublicKey, TransactionInstruction } from "@solana/web3.js"
import bs58 from "bs58"
import type { Call, Prepared } from "./calls.ts"
import { MEMO_PROGRAM } from "./fixture.ts"

/** Calls that send or simulate transactions. */
export async function sendCalls(on: Prepared): Promise<Call[]> {
  const { payer, wallet, signed, transfer, memo, nonceUsed } = on
  let amount = 10_000_000
  const base64 = (wire: Uint8Array) => Buffer.from(wire).toString("base64")
  const good = async () => base64(await signed([transfer(amount++)]))
  const forge = (wire: string) => {
    const bytes = Buffer.from(wire, "base64")
    bytes[5]! ^= 1
    return bytes.toString("base64")
  }
  const bad = async () => base64(await signed([transfer(10_000 * LAMPORTS_PER_SOL + amount++)]))
  const old = base64(await signed([transfer(amount++)]))
  // No block has its blockhash.
  const stale = Buffer.from(old, "base64")
  stale.fill(9, stale.length - 60, stale.length - 40)
  const table = await on.versioned([on.lookup])
  const unknownProgram = base64(
    await signed([new TransactionInstruction({ programId: on.unusedAddress, keys: [], data: Buffer.alloc(1) })]),
  )
  const noUtf8 = base64(
    await signed([new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from([255, 254]) })]),
  )
  const landed = base64(await signed([transfer(amount++)]))
  await on.sendRaw(Buffer.from(landed, "base64"))
  const simple = base64(await signed([transfer(amount++), memo("simulated")]))
  const b64 = { encoding: "base64" }
  const me = payer.publicKey.toBase58()
  const simulate = "simulateTransaction"
  const large = base64(await signed([memo("x".repeat(900))])).padEnd(2000, "A")
  return [
    ["send", "sendTransaction", async () => [await good(), b64]],
    [
      "send processed preflight",
      "sendTransaction",
      async () => [await good(), { ...b64, preflightCommitment: "processed" }],
    ],
    ["send base58", "sendTransaction", async () => [bs58.encode(Buffer.from(await good(), "base64"))]],
    [
      "send base58 named",
      "sendTransaction",
      async () => [bs58.encode(Buffer.from(await good(), "base64")), { encoding: "base58" }],
    ],
    ["send by a table", "sendTransaction", [base64(table.serialize()), { ...b64, preflightCommitment: "confirmed" }]],
    [
      "send nulls",
      "sendTransaction",
      async () => [
        await good(),
        { ...b64, maxRetries: null, minContextSlot: null, skipPreflight: false, preflightCommitment: null },
      ],
    ],
    ["send maxRetries", "sendTransaction", async () => [await good(), { ...b64, maxRetries: 0, skipPreflight: true }]],
    ["send far minContextSlot", "sendTransaction", async () => [await good(), { ...b64, minContextSlot: 2 ** 40 }]],
    ["send unknown encoding", "sendTransaction", async () => [await good(), { encoding: "nonsense" }]],
    ["send jsonParsed", "sendTransaction", async () => [await good(), { encoding: "jsonParsed" }]],
    ["send failing", "sendTransaction", async () => [await bad(), { ...b64, preflightCommitment: "confirmed" }]],
    ["send failing unchecked", "sendTransaction", async () => [await bad(), { ...b64, skipPreflight: true }]],
    ["send failing program", "sendTransaction", [noUtf8, { ...b64, preflightCommitment: "confirmed" }]],
    ["send unknown program", "sendTransaction", [unknownProgram, { ...b64, preflightCommitment: "confirmed" }]],
    ["send forged", "sendTransaction", async () => [forge(await good()), b64]],
    ["send forged unchecked", "sendTransaction", async () => [forge(await good()), { ...b64, skipPreflight: true }]],
    ["send landed again", "sendTransaction", [landed, { ...b64, preflightCommitment: "confirmed" }]],
    ["send landed again unchecked", "sendTransaction", [landed, { ...b64, skipPreflight: true }]],
    ["send used nonce", "sendTransaction", [base64(nonceUsed), { ...b64, preflightCommitment: "confirmed" }]],
    ["send too large", "sendTransaction", [large, b64]],
    ["send nonsense", "sendTransaction", ["AAAA", b64]],
    ["send no base64", "sendTransaction", ["*", b64]],
    ["send base64 as base58", "sendTransaction", async () => [await good()]],
    ["send nothing", "sendTransaction", []],
    ["send number", "sendTransaction", [1]],
    ["simulate", simulate, [simple, { ...b64, ...CONFIRMED }]],
    // Its blockhash must not be final yet.
    ["simulate null", simulate, async () => [bs58.encode(Buffer.from(await good(), "base64")), null]],
    ["simulate verified", simulate, [simple, { ...b64, ...CONFIRMED, sigVerify: true }]],
    ["simulate forged", simulate, [forge(simple), { ...b64, ...CONFIRMED }]],
    ["simulate forged verified", simulate, [forge(simple), { ...b64, ...CONFIRMED, sigVerify: true }]],
    ["simulate replaced", simulate, [stale.toString("base64"), { ...b64, ...CONFIRMED, replaceRecentBlockhash: true }]],
    ["simulate both", simulate, [simple, { ...b64, replaceRecentBlockhash: true, sigVerify: true }]],
    ["simulate landed", simulate, [landed, { ...b64, ...CONFIRMED }]],
    [
      "simulate unknown blockhash",
      simulate,
      [base64(await withBlockhash(on, on.unusedAddress)), { ...b64, ...CONFIRMED }],
    ],
    ["simulate failing", simulate, async () => [await bad(), { ...b64, ...CONFIRMED }]],
    ["simulate unknown program", simulate, [unknownProgram, { ...b64, ...CONFIRMED }]],
    [
      "simulate by a table",
      simulate,
      [base64(table.serialize()), { ...b64, ...CONFIRMED, replaceRecentBlockhash: true }],
    ],
    [
      "simulate accounts",
      simulate,
      [
        simple,
        {
          ...b64,
          ...CONFIRMED,
          accounts: { addresses: [me, on.unusedAddress.toBase58()], encoding: "base64" },
        },
      ],
    ],
    [
      "simulate accounts jsonParsed",
      simulate,
      [simple, { ...b64, ...CONFIRMED, accounts: { addresses: [me], encoding: "jsonParsed" } }],
    ],
    [
      "simulate accounts base58",
      simulate,
      [simple, { ...b64, ...CONFIRMED, accounts: { addresses: [me], encoding: "base58" } }],
    ],
    [
      "simulate too many accounts",
      simulate,
      [simple, { ...b64, ...CONFIRMED, accounts: { addresses: Array(9).fill(me), encoding: "base64" } }],
    ],
    ["simulate inner", simulate, [base64(await tokenTransfer(on)), { ...b64, ...CONFIRMED, innerInstructions: true }]],
    ["simulate far minContextSlot", simulate, [simple, { ...b64, minContextSlot: 2 ** 40 }]],
    ["simulate nonsense", simulate, ["AAAA", b64]],
    ["simulate unknown wallet", simulate, [base64(await signed([memo("poor")], [wallet])), { ...b64, ...CONFIRMED }]],
  ]
}

const CONFIRMED = { commitment: "confirmed" }

async function withBlockhash(on: Prepared, blockhash: PublicKey) {
  const transaction = await on.versioned([])
  transaction.message.recentBlockhash = blockhash.toBase58()
  transaction.sign([on.payer])
  return transaction.serialize()
}

/** Creating an associated account makes a program call others. */
async function tokenTransfer(on: Prepared) {
  const of = getAssociatedTokenAddressSync(on.mint.publicKey, on.unusedAddress, false, TOKEN_2022_PROGRAM_ID)
  const create = createAssociatedTokenAccountIdempotentInstruction(
    on.payer.publicKey,
    of,
    on.unusedAddress,
    on.mint.publicKey,
    TOKEN_2022_PROGRAM_ID,
  )
  return on.signed([create])
}
