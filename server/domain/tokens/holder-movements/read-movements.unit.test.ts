import {
  createBurnCheckedInstruction,
  createTransferCheckedInstruction,
  TOKEN_2022_PROGRAM_ID as TOKEN,
} from "@solana/spl-token"
import {
  AddressLookupTableAccount,
  Keypair,
  type PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  type VersionedTransactionResponse,
} from "@solana/web3.js"
import bs58 from "bs58"
import { expect, test } from "vitest"
import { addressOf } from "#server/solana/addresses.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import { changesIn } from "./read-movements.ts"

// Answers of getTransaction, as web3.js returns them.

const key = () => Keypair.generate().publicKey
const [alice, bob, stranger, mint, other] = [key(), key(), key(), key(), key()]
const [source, target] = [key(), key()]
const transfer = createTransferCheckedInstruction(source, mint, target, alice, 4n, 2, [], TOKEN)
const burn = createBurnCheckedInstruction(source, mint, alice, 4n, 2, [], TOKEN)

type Balance = [account: number, owner: PublicKey | undefined, amount: string, mint?: PublicKey]
type Meta = NonNullable<VersionedTransactionResponse["meta"]>

const balances = (list: Balance[]) =>
  list.map(([accountIndex, owner, amount, of = mint]) => ({
    ...{ accountIndex, mint: of.toBase58(), ...(owner && { owner: owner.toBase58() }) },
    programId: TOKEN.toBase58(),
    uiTokenAmount: {
      amount,
      decimals: 2,
      uiAmount: Number(amount) / 100,
      uiAmountString: String(Number(amount) / 100),
    },
  }))

function answer(
  pre: Balance[],
  post: Balance[],
  more: Partial<Meta> & { instructions?: TransactionInstruction[] } = {},
) {
  const { instructions = [transfer], ...meta } = more
  const message = new TransactionMessage({ payerKey: alice, recentBlockhash: key().toBase58(), instructions })
  return {
    transaction: { message: message.compileToLegacyMessage(), signatures: ["signature"] },
    meta: {
      ...{ err: null, fee: 5000, preBalances: [], postBalances: [], logMessages: [], innerInstructions: [] },
      ...{ preTokenBalances: balances(pre), postTokenBalances: balances(post) },
      ...meta,
    } as Meta,
  }
}

const shown = (found: ReturnType<typeof answer>) =>
  Object.fromEntries(changesIn(found, addressOf(mint)).map(({ wallet, delta }) => [wallet, Number(delta)]))
const unread = (found: ReturnType<typeof answer>) => expect(() => shown(found)).toThrow(HistoryMissing)

test("a transfer takes from one wallet and gives to another", () => {
  const found = answer([[1, alice, "10"], [2, bob, "1"]], [[1, alice, "6"], [2, bob, "5"]]) // biome-ignore format: pairs
  expect(shown(found)).toEqual({ [alice.toBase58()]: -4, [bob.toBase58()]: 4 })
})

test("an account that is created has nothing before, and one that is closed nothing after", () => {
  expect(shown(answer([[1, alice, "10"]], [[2, bob, "10"]]))).toEqual({
    [alice.toBase58()]: -10,
    [bob.toBase58()]: 10,
  })
})

test("what only passes through a wallet changes nothing of it, and neither do its own accounts", () => {
  const found = answer(
    [[1, alice, "10"], [2, bob, "1"], [3, alice, "0"]], // biome-ignore format: accounts
    [[1, alice, "3"], [2, bob, "1"], [3, alice, "2"], [4, stranger, "5"]], // biome-ignore format: accounts
  )
  expect(shown(found)).toEqual({ [alice.toBase58()]: -5, [stranger.toBase58()]: 5 })
})

test("an account that gets another owner moves to that wallet", () => {
  expect(shown(answer([[1, alice, "10"]], [[1, stranger, "10"]]))).toEqual({
    [alice.toBase58()]: -10,
    [stranger.toBase58()]: 10,
  })
})

test("other mints and transactions that only name the mint change nothing", () => {
  expect(shown(answer([[1, alice, "10"]], [[1, alice, "10"]]))).toEqual({})
  // Behind the accounts of the transfer, anyone can name any mint.
  const others = createTransferCheckedInstruction(source, other, target, alice, 4n, 2, [], TOKEN)
  others.keys.push({ pubkey: mint, isSigner: false, isWritable: false })
  expect(shown(answer([], [], { instructions: [others] }))).toEqual({})
})

test("a burn lowers the sum, also one that a program calls through a lookup table", () => {
  const [pre, post] = [[[1, alice, "10"]], [[1, alice, "6"]]] as [Balance[], Balance[]]
  expect(shown(answer(pre, post, { instructions: [burn] }))).toEqual({ [alice.toBase58()]: -4 })
  const table = new AddressLookupTableAccount({
    key: key(),
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: [mint, TOKEN],
    },
  })
  const program = { programId: key(), keys: [mint, TOKEN].map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })), data: Buffer.from([1]) } // biome-ignore format: one line
  const message = new TransactionMessage({
    payerKey: alice,
    recentBlockhash: key().toBase58(),
    instructions: [program],
  })
  const found = answer(pre, post)
  const loaded = { writable: [], readonly: [mint, TOKEN] }
  const compiled = message.compileToV0Message([table])
  const index = compiled.staticAccountKeys.length + 1
  const inner = { index: 0, instructions: [{ programIdIndex: index, accounts: [], data: bs58.encode(burn.data) }] }
  const versioned = { message: compiled, signatures: ["signature"] } as never
  const meta = { ...found.meta, loadedAddresses: loaded, innerInstructions: [inner] }
  expect(shown({ transaction: versioned, meta })).toEqual({ [alice.toBase58()]: -4 })
  unread({ transaction: versioned, meta: { ...meta, innerInstructions: [] } })
})

test("an answer that cannot be whole is not taken for one", () => {
  const [pre, post] = [[[1, alice, "10"], [2, bob, "1"]], [[1, alice, "6"], [2, bob, "5"]]] as [Balance[], Balance[]] // biome-ignore format: pairs
  unread(answer([], []))
  unread(answer([[1, alice, "10", other]], [[1, alice, "6", other]]))
  unread(answer(pre, post.slice(0, 1)))
  unread(answer(pre.slice(1), post))
  unread(answer(pre, post, { preTokenBalances: null }))
  unread(answer(pre, post, { postTokenBalances: undefined as never }))
  unread(answer(pre, [...post, post[0]!]))
  unread(answer(pre, [[1, undefined, "6"], post[1]!]))
  unread(answer(pre, post, { err: { InstructionError: [0, "Custom"] } as never }))
  expect(() => changesIn({ ...answer(pre, post), meta: null }, addressOf(mint))).toThrow(HistoryMissing)
})
