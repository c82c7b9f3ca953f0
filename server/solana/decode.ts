import { hash } from "node:crypto"
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  TokenInstruction,
} from "@solana/spl-token"
import { ComputeBudgetProgram, SystemProgram, type VersionedMessage } from "@solana/web3.js"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** An instruction as a person reads it. */
export type DecodedInstruction = {
  program: string
  /** Names of the program and the instruction; null if unknown. */
  program_name: string | null
  name: string | null
  accounts: { address: string; signer: boolean; writable: boolean }[]
  /** base64 */
  data: string
  /** The text of a memo. */
  memo: string | null
  /** Base units minted, burned or moved. */
  amount: string | null
}

// Instruction numbers that the libraries do not name: https://docs.rs/solana-system-interface,
// …/spl-associated-token-account.
const SYSTEM: Readonly<Record<number, string>> = {
  0: "CreateAccount",
  1: "Assign",
  2: "Transfer",
  3: "CreateAccountWithSeed",
  8: "Allocate",
  9: "AllocateWithSeed",
}
const ASSOCIATED = ["Create", "CreateIdempotent", "RecoverNested"]
const COMPUTE_BUDGET = ["RequestUnits", "RequestHeapFrame", "SetComputeUnitLimit", "SetComputeUnitPrice"]

/** An instruction of the token metadata interface begins with the first eight bytes of a hash of its name. */
const METADATA = new Map(
  [
    ["initialize_account", "InitializeTokenMetadata"],
    ["updating_field", "UpdateTokenMetadata"],
    ["update_the_authority", "UpdateTokenMetadataAuthority"],
  ].map(([name, shown]) => [hash("sha256", `spl_token_metadata_interface:${name}`, "hex").slice(0, 16), shown!]),
)

/** The instructions of the PermissionedBurn extension, by their second byte. */
const PERMISSIONED_BURN = ["InitializePermissionedBurn", "PermissionedBurn", "PermissionedBurnChecked"]

/** Where the amount of a token instruction begins, by its name. */
const AMOUNT_AT: Readonly<Record<string, number>> = {
  Transfer: 1,
  MintTo: 1,
  Burn: 1,
  TransferChecked: 1,
  MintToChecked: 1,
  BurnChecked: 1,
  PermissionedBurn: 2,
  PermissionedBurnChecked: 2,
}

/** The last instruction of the classic token program that Token-2022 shares (spl-token interface, `TokenInstruction`). */
const LAST_CLASSIC = TokenInstruction.UiAmountToAmount
const CLASSIC = Array.from({ length: LAST_CLASSIC + 1 }, (_, n) => TokenInstruction[n] ?? null)
const TOKEN_PROGRAMS = [TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID].map(String)

type Program = { name: string; instructionOf: (data: Buffer) => string | null }

const programs = new Map<string, Program>([
  [
    SystemProgram.programId.toBase58(),
    { name: "System", instructionOf: (data) => (data.length < 4 ? null : (SYSTEM[data.readUInt32LE(0)] ?? null)) },
  ],
  [TOKEN_2022_PROGRAM_ID.toBase58(), { name: "Token-2022", instructionOf: tokenInstruction }],
  // The classic program, which payment mints may obey. Its instructions have the numbers and layout of Token-2022's.
  [TOKEN_PROGRAM_ID.toBase58(), { name: "Token", instructionOf: (data) => CLASSIC[data[0] ?? -1] ?? null }],
  [
    ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(),
    { name: "Associated token account", instructionOf: (data) => ASSOCIATED[data[0] ?? 0] ?? null },
  ],
  [MEMO_PROGRAM_ID.toBase58(), { name: "Memo", instructionOf: () => "Memo" }],
  [
    ComputeBudgetProgram.programId.toBase58(),
    { name: "Compute budget", instructionOf: (data) => COMPUTE_BUDGET[data[0] ?? -1] ?? null },
  ],
])

function tokenInstruction(data: Buffer): string | null {
  if (data[0] === TokenInstruction.PermissionedBurnExtension) return PERMISSIONED_BURN[data[1] ?? -1] ?? null
  return METADATA.get(data.subarray(0, 8).toString("hex")) ?? TokenInstruction[data[0] ?? -1] ?? null
}

/** The instructions of a message, in order. Lookup tables are not resolved: Vouch uses none. */
export function decodeInstructions(message: VersionedMessage): DecodedInstruction[] {
  const keys = message.staticAccountKeys.map((key) => key.toBase58())
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => {
    const program = keys[programIdIndex]!
    const known = programs.get(program)
    const bytes = Buffer.from(data)
    const name = known?.instructionOf(bytes) ?? null
    return {
      program,
      program_name: known?.name ?? null,
      name,
      accounts: accountKeyIndexes.map((index) => ({
        address: keys[index] ?? "in a lookup table",
        signer: message.isAccountSigner(index),
        writable: message.isAccountWritable(index),
      })),
      data: bytes.toString("base64"),
      memo: program === MEMO_PROGRAM_ID.toBase58() ? bytes.toString("utf8") : null,
      amount: TOKEN_PROGRAMS.includes(program) ? amountIn(name, bytes) : null,
    }
  })
}

function amountIn(name: string | null, data: Buffer): string | null {
  const at = name === null ? undefined : AMOUNT_AT[name]
  return at === undefined || data.length < at + 8 ? null : data.readBigUInt64LE(at).toString()
}
