import { hash } from "node:crypto"
import { Keypair } from "@solana/web3.js"
import { expect, test } from "vitest"
import { verifySnapshot } from "#client/index.ts"
import { MEMO_PROGRAM_ID } from "#server/solana/addresses.ts"
import { type Instruction, nodeWith } from "./known-transaction.ts"

const newKey = () => Keypair.generate().publicKey.toBase58()
const [issuer, older, stranger] = [newKey(), newKey(), newKey()]
const MEMO = MEMO_PROGRAM_ID.toBase58()
const ID = "snap_9sXcVbNmQwErTyUiPaSdFg"
const anchor_tx = "5".repeat(87)
const csv = `user_pubkey,balance,held\n${stranger},1000000,0\n`
const sha256 = hash("sha256", csv, "base64url")

const memo = (text = `vouch:1:${ID}:${sha256}`, accounts = [issuer], program = MEMO): Instruction => ({
  ...{ program, accounts, data: Buffer.from(text) },
})

async function check(
  instructions: Instruction[],
  { file = csv as string | Uint8Array, signers = [issuer], by = [issuer], err = null as unknown } = {},
): Promise<string> {
  const node = nodeWith(instructions, signers, err)
  const answer = await verifySnapshot(node, { issuer: by, snapshot: { snapshot_id: ID, anchor_tx }, csv: file })
  if (!answer.verified) return answer.reason
  expect(answer).toEqual({ verified: true, sha256, authority: signers[0], transaction: anchor_tx })
  return "verified"
}

test("the holders whose hash the issuer has put on chain are verified, as text and as bytes", async () => {
  expect(await check([memo()])).toBe("verified")
  expect(await check([memo()], { file: Buffer.from(csv) })).toBe("verified")
  expect(await check([memo("mine"), memo()])).toBe("verified")
  expect(await check([memo(undefined, [older])], { signers: [older], by: [issuer, older] })).toBe("verified")
})

test.each([
  ["another balance", csv.replace("1000000", "1000001")],
  ["a line less", csv.split("\n")[0]!],
  ["another end of lines", csv.replaceAll("\n", "\r\n")],
  ["a byte order mark", `\uFEFF${csv}`],
  ["nothing", ""],
])("a file with %s is refused", async (_what, file) => {
  expect(await check([memo()], { file })).toBe("wrong_holders")
  expect(await check([memo()], { file: Buffer.from(file) })).toBe("wrong_holders")
})

test.each<[string, Instruction[], string]>([
  ["no memo", [], "wrong_snapshot"],
  ["the memo of another snapshot", [memo(`vouch:1:snap_1:${sha256}`)], "wrong_snapshot"],
  ["a memo of another version", [memo(`vouch:2:${ID}:${sha256}`)], "wrong_snapshot"],
  ["a memo with more behind the hash", [memo(`vouch:1:${ID}:${sha256}:more`)], "wrong_snapshot"],
  ["a memo without a hash", [memo(`vouch:1:${ID}`)], "wrong_snapshot"],
  ["the text in another program", [memo(undefined, [issuer], stranger)], "wrong_snapshot"],
  ["a memo that no one signed", [memo(undefined, [])], "wrong_issuer"],
  ["a memo that another key signed", [memo(undefined, [stranger])], "wrong_issuer"],
  ["another hash", [memo(`vouch:1:${ID}:${hash("sha256", "", "base64url")}`)], "wrong_holders"],
])("%s is refused", async (_what, instructions, answer) => {
  expect(await check(instructions, { signers: [issuer, stranger] })).toBe(answer)
})

test("a memo that names the issuer, who did not sign the transaction, is refused", async () => {
  expect(await check([memo()], { signers: [stranger] })).toBe("wrong_issuer")
})

test("a transaction that failed or does not exist proves nothing", async () => {
  expect(await check([memo()], { err: { InstructionError: [0, "Custom"] } })).toBe("not_on_chain")
  const node = nodeWith([memo()], [issuer])
  const snapshot = { snapshot_id: ID, anchor_tx: null }
  expect(await verifySnapshot(node, { issuer, snapshot, csv })).toEqual({ verified: false, reason: "not_on_chain" })
})
