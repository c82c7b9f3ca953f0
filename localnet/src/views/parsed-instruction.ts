import bs58 from "bs58"
import { base58OfKey, isMemoProgram, isTokenProgram, type Key, keyAt, knownKey, SYSTEM_PROGRAM } from "../chain/keys.ts"
import { uiAmount } from "../chain/token-layout.ts"

/** An instruction of a transaction, or one that a program called. */
export type RawInstruction = { program: Key; accounts: readonly Key[]; data: Buffer; stackHeight: number }

type Info = Record<string, unknown>
type Parse = (data: Buffer, accounts: readonly string[]) => Info

const ASSOCIATED_TOKEN_PROGRAM = knownKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")

/**
 * An instruction in `jsonParsed` (agave's `parse_system.rs`, `parse_token.rs` and others). Instructions that are not in
 * the tables below keep their data, as on a cluster if it cannot parse them.
 */
export function instructionView(instruction: RawInstruction) {
  const { program, stackHeight } = instruction
  const programId = base58OfKey(program)
  const found = parse(instruction)
  return found === null
    ? {
        accounts: instruction.accounts.map(base58OfKey),
        data: bs58.encode(instruction.data),
        programId,
        stackHeight,
      }
    : { ...found, programId, stackHeight }
}

function parse({ program, accounts, data }: RawInstruction): { parsed: unknown; program: string } | null {
  if (isMemoProgram(program)) return { parsed: data.toString("utf8"), program: "spl-memo" }
  const [name, number, rest, table] =
    program === SYSTEM_PROGRAM && data.length >= 4
      ? (["system", data.readUInt32LE(0), data.subarray(4), system] as const)
      : isTokenProgram(program) && data.length >= 1
        ? (["spl-token", data[0]!, data.subarray(1), token] as const)
        : program === ASSOCIATED_TOKEN_PROGRAM
          ? (["spl-associated-token-account", data[0] ?? 0, data.subarray(1), associated] as const)
          : [null, 0, data, {}]
  const known = (table as Record<number, Definition>)[number]
  if (name === null || known === undefined) return null
  const [type, minAccounts, read] = known
  // An instruction that its program refused may lack accounts.
  if (accounts.length < minAccounts) return null
  try {
    return { parsed: { info: read(rest, accounts.map(base58OfKey)), type }, program: name }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const u64 = (data: Buffer, offset = 0) => Number(data.readBigUInt64LE(offset))
const amount = (data: Buffer, offset = 0) => data.readBigUInt64LE(offset).toString()
const address = (data: Buffer, offset: number) => {
  if (offset + 32 > data.length) throw new RangeError("too short")
  return base58OfKey(keyAt(data, offset))
}

/** Its type, the least number of accounts, and how to read it. */
type Definition = readonly [type: string, minAccounts: number, read: Parse]

const system: Record<number, Definition> = {
  0: [
    "createAccount",
    2,
    (data, [source, newAccount]) => ({
      ...{ source, newAccount, lamports: u64(data), space: u64(data, 8), owner: address(data, 16) },
    }),
  ],
  1: ["assign", 1, (data, [account]) => ({ account, owner: address(data, 0) })],
  2: ["transfer", 2, (data, [source, destination]) => ({ source, destination, lamports: u64(data) })],
  4: [
    "advanceNonce",
    3,
    (_, [nonceAccount, recentBlockhashesSysvar, nonceAuthority]) => ({
      ...{ nonceAccount, recentBlockhashesSysvar, nonceAuthority },
    }),
  ],
  5: [
    "withdrawFromNonce",
    5,
    (data, [nonceAccount, destination, recentBlockhashesSysvar, rentSysvar, nonceAuthority]) => ({
      ...{
        nonceAccount,
        destination,
        recentBlockhashesSysvar,
        rentSysvar,
        nonceAuthority,
        lamports: u64(data),
      },
    }),
  ],
  6: [
    "initializeNonce",
    3,
    (data, [nonceAccount, recentBlockhashesSysvar, rentSysvar]) => ({
      ...{ nonceAccount, recentBlockhashesSysvar, rentSysvar, nonceAuthority: address(data, 0) },
    }),
  ],
  8: ["allocate", 1, (data, [account]) => ({ account, space: u64(data) })],
}

/** The signer is one key, or a multisig with its signers after it. */
const signedBy = (role: string, accounts: readonly string[], at: number): Info =>
  accounts.length > at + 1
    ? { [`multisig${role[0]!.toUpperCase()}${role.slice(1)}`]: accounts[at], signers: accounts.slice(at + 1) }
    : { [role]: accounts[at] }
const tokenAmount = (data: Buffer) => {
  if (data.length < 9) throw new RangeError("too short")
  return uiAmount(data.readBigUInt64LE(0), data[8]!)
}
const onAccount =
  (role: string): Parse =>
  (_, accounts) => ({
    ...{ account: accounts[0], mint: accounts[1] },
    ...signedBy(role, accounts, 2),
  })
const initializeMint: Parse = (data, [mint]) => ({
  ...{ mint, decimals: data[0], mintAuthority: address(data, 1) },
  ...(data[33] === 1 && { freezeAuthority: address(data, 34) }),
})
const extensionNames: Record<number, string> = {
  ...{ 7: "immutableOwner", 13: "nonTransferableAccount", 15: "transferHookAccount", 27: "pausableAccount" },
}

const token: Record<number, Definition> = {
  3: [
    "transfer",
    3,
    (data, accounts) => ({
      ...{ source: accounts[0], destination: accounts[1], amount: amount(data) },
      ...signedBy("authority", accounts, 2),
    }),
  ],
  7: [
    "mintTo",
    3,
    (data, accounts) => ({
      ...{ mint: accounts[0], account: accounts[1], amount: amount(data) },
      ...signedBy("mintAuthority", accounts, 2),
    }),
  ],
  8: ["burn", 3, (data, accounts) => ({ ...onAccount("authority")(data, accounts), amount: amount(data) })],
  9: [
    "closeAccount",
    3,
    (_, accounts) => ({
      ...{ account: accounts[0], destination: accounts[1] },
      ...signedBy("owner", accounts, 2),
    }),
  ],
  10: ["freezeAccount", 3, onAccount("freezeAuthority")],
  11: ["thawAccount", 3, onAccount("freezeAuthority")],
  12: [
    "transferChecked",
    4,
    (data, accounts) => ({
      ...{ source: accounts[0], mint: accounts[1], destination: accounts[2], tokenAmount: tokenAmount(data) },
      ...signedBy("authority", accounts, 3),
    }),
  ],
  14: [
    "mintToChecked",
    3,
    (data, accounts) => ({
      ...{ mint: accounts[0], account: accounts[1], tokenAmount: tokenAmount(data) },
      ...signedBy("mintAuthority", accounts, 2),
    }),
  ],
  15: [
    "burnChecked",
    3,
    (data, accounts) => ({ ...onAccount("authority")(data, accounts), tokenAmount: tokenAmount(data) }),
  ],
  18: ["initializeAccount3", 2, (data, [account, mint]) => ({ account, mint, owner: address(data, 0) })],
  20: ["initializeMint2", 1, initializeMint],
  21: [
    "getAccountDataSize",
    1,
    (data, [mint]) => ({
      mint,
      extensionTypes: Array.from(
        { length: data.length >> 1 },
        (_, at) => extensionNames[data.readUInt16LE(2 * at)] ?? "uninitialized",
      ),
    }),
  ],
  22: ["initializeImmutableOwner", 1, (_, [account]) => ({ account })],
}

const associatedAccount: Parse = (_, [source, account, wallet, mint, systemProgram, tokenProgram]) => ({
  ...{ source, account, wallet, mint, systemProgram, tokenProgram },
})
const associated: Record<number, Definition> = {
  0: ["create", 6, associatedAccount],
  1: ["createIdempotent", 6, associatedAccount],
}
