import { Keypair, type PublicKey } from "@solana/web3.js"
import { expect, test } from "vitest"
import { type Operation, verifyForced, type Web3Connection } from "#client/index.ts"
import { MEMO_PROGRAM_ID, tokenAccountOf } from "#server/solana/addresses.ts"
import { holdPlace } from "#server/solana/asset-hold.ts"
import { type Instruction, nodeWith as nodeOf } from "./known-transaction.ts"

// The API's tests check real transactions.

const newKey = () => Keypair.generate().publicKey
const [issuer, stranger, from, to, mint] = [newKey(), newKey(), newKey(), newKey(), newKey()]
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
const MEMO = MEMO_PROGRAM_ID.toBase58()
const ID = "op_9sXcVbNmQwErTyUiPaSdFg"
const onchain_tx = "5".repeat(87)
const textOf = (key: PublicKey) => key.toBase58()
const accountOf = (wallet: PublicKey) => textOf(tokenAccountOf(mint, wallet))
const holdOf = (base: PublicKey) => textOf(holdPlace(base, mint, from).account)

const memo = (text = `vouch:1:${ID}:forced`, program = MEMO): Instruction => ({
  program,
  accounts: [],
  data: Buffer.from(text),
})
function amountOf(units: bigint): Uint8Array {
  const bytes = Buffer.alloc(9)
  bytes.writeBigUInt64LE(units)
  bytes[8] = 6
  return bytes
}
const moving = ({
  source = accountOf(from),
  target = accountOf(to),
  authority = textOf(issuer),
  units = 4_000_000n,
  code = [12],
  program = TOKEN_2022,
} = {}): Instruction => ({
  program,
  accounts: [source, textOf(mint), target, authority],
  data: Buffer.from([...code, ...amountOf(units)]),
})
const burning = (code: number[], accounts = [accountOf(from), textOf(mint), textOf(issuer), textOf(issuer)]) => ({
  program: TOKEN_2022,
  accounts,
  data: Buffer.from([...code, ...amountOf(2_500_000n)]),
})

const nodeWith = (instructions: Instruction[], { signers = [textOf(issuer)], err = null as unknown } = {}) =>
  nodeOf(instructions, signers, err)

const forced = {
  ...{ operation_id: ID, kind: "force_transfer", user_pubkey: null, amount: "4", onchain_tx },
  ...{ from_pubkey: textOf(from), to_pubkey: textOf(to), mint: textOf(mint) },
} as unknown as Operation
const burned = { ...forced, kind: "burn", user_pubkey: textOf(from), from_pubkey: null, to_pubkey: null, amount: "2.5" }

async function check(connection: Web3Connection, operation: object = forced, by = [issuer]): Promise<string> {
  const question = { issuer: by.map(textOf), operation: operation as Operation }
  const answer = await verifyForced(connection, question)
  return answer.verified ? `${answer.isForced ? "forced" : "agreed"} ${answer.amount}` : answer.reason
}

test.each<[string, Instruction[], string]>([
  ["a forced transfer", [memo(), moving()], "forced 4"],
  ["one after another instruction", [burning([15]), memo(), moving()], "forced 4"],
  [
    "one out of a hold and the main account",
    [...[memo(), moving({ source: holdOf(issuer), units: 1_000_000n })], ...[memo(), moving({ units: 3_000_000n })]],
    "forced 4",
  ],
  [
    "one that is marked in part",
    [memo(), moving({ units: 1n }), memo(`vouch:1:${ID}`), moving({ units: 3_999_999n })],
    "not_forced",
  ],
  ["one without a mark", [memo(`vouch:1:${ID}`), moving()], "not_forced"],
  ["another mark", [memo(`vouch:1:${ID}:hold`), moving()], "not_forced"],
  ["more than the mark", [memo(`vouch:1:${ID}:forced:later`), moving()], "not_forced"],
  ["a memo of another service", [memo(`other:1:${ID}:forced`), moving()], "wrong_operation"],
  ["a memo of another version", [memo(`vouch:2:${ID}:forced`), moving()], "wrong_operation"],
  ["the memo of another operation", [memo("vouch:1:op_1:forced"), moving()], "wrong_operation"],
  ["the text in another program", [memo(undefined, textOf(stranger)), moving()], "wrong_operation"],
  ["a memo that is not directly before it", [memo(), memo("mine"), moving()], "wrong_operation"],
  ["a movement in another program", [memo(), moving({ program: textOf(stranger) })], "wrong_operation"],
  ["an unchecked transfer", [memo(), moving({ code: [3] })], "wrong_operation"],
  ["another source", [memo(), moving({ source: accountOf(stranger) })], "wrong_wallet"],
  ["a hold that another key created", [memo(), moving({ source: holdOf(stranger) })], "wrong_wallet"],
  [
    "another recipient for a part",
    [memo(), moving({ units: 1n }), memo(), moving({ target: accountOf(stranger), units: 3_999_999n })],
    "wrong_wallet",
  ],
  ["another amount", [memo(), moving({ units: 4_000_001n })], "wrong_amount"],
  ["another key's authority", [memo(), moving({ authority: textOf(stranger) })], "wrong_issuer"],
])("%s is recognized", async (_what, instructions, answer) => {
  expect(await check(nodeWith(instructions))).toBe(answer)
})

test.each<[string, Instruction[], string]>([
  ["a burn", [memo(), burning([15])], "forced 2.5"],
  ["a burn that its holder agreed to", [memo(`vouch:1:${ID}`), burning([15])], "agreed 2.5"],
  ["a permissioned burn", [memo(), burning([46, 2])], "forced 2.5"],
  ["another permissioned instruction", [memo(), burning([46, 1])], "wrong_operation"],
  ["another instruction with the second byte of a burn", [memo(), burning([45, 2])], "wrong_operation"],
  ["a transfer in its place", [memo(), moving({ units: 2_500_000n })], "wrong_wallet"],
])("%s is recognized in place of a burn", async (_what, instructions, answer) => {
  expect(await check(nodeWith(instructions), burned)).toBe(answer)
})

test("a transaction that failed, or that the issuer did not sign, proves nothing", async () => {
  const instructions = [memo(), moving()]
  expect(await check(nodeWith(instructions, { err: { InstructionError: [0, "Custom"] } }))).toBe("not_on_chain")
  expect(await check(nodeWith(instructions, { signers: [textOf(stranger)] }))).toBe("wrong_issuer")
  expect(await check(nodeWith([memo(), moving({ authority: textOf(stranger) })]), forced, [stranger])).toBe(
    "wrong_issuer",
  )
})

test("holds of each of the issuer's keys count", async () => {
  const node = nodeWith([memo(), moving({ source: holdOf(stranger) })])
  expect(await check(node, forced, [issuer, stranger])).toBe("forced 4")
})

test("a question without an issuer, or with an invalid address or signature, is an error", async () => {
  const node = nodeWith([memo(), moving()])
  await expect(check(node, forced, [])).rejects.toThrow("issuer: must be given")
  await expect(check(node, { ...forced, onchain_tx: "short" })).rejects.toThrow(
    "operation.onchain_tx: must be a signature",
  )
  await expect(check(node, { ...forced, from_pubkey: null })).rejects.toThrow("operation's wallet: must be an address")
})
