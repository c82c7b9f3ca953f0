import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TokenInstruction } from "@solana/spl-token"
import {
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  SystemInstruction,
  SystemProgram,
  TransactionInstruction,
  VersionedTransaction,
} from "@solana/web3.js"
import bs58 from "bs58"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** One instruction as a person reads it. */
export type DecodedInstruction = {
  /** Address of the program. */
  program: string
  /** Name of the program; null for one that we do not use. */
  name: string | null
  /** What the program is told to do, in its own words, such as `MintToChecked`; null where it is not known. */
  action: string | null
  accounts: { address: string; signer: boolean; writable: boolean }[]
  /** Text of a memo. */
  memo: string | null
  /** base64. */
  data: string
}

export type DecodedTransaction = {
  /** base58, the fee payer's first. */
  signatures: string[]
  fee_payer: string
  recent_blockhash: string
  instructions: DecodedInstruction[]
}

/** Names of what the token metadata interface takes, by their first byte: it has 8-byte discriminators. */
const METADATA_ACTIONS: Record<number, string> = { 210: "InitializeMetadata", 221: "UpdateMetadataField" }
const ASSOCIATED_ACTIONS = ["Create", "CreateIdempotent", "RecoverNested"]

type Program = { name: string; actionOf: (instruction: TransactionInstruction) => string | null }

const programs = new Map<string, Program>([
  [
    SystemProgram.programId.toBase58(),
    { name: "System", actionOf: (one) => SystemInstruction.decodeInstructionType(one) },
  ],
  [
    ComputeBudgetProgram.programId.toBase58(),
    { name: "Compute Budget", actionOf: (one) => ComputeBudgetInstruction.decodeInstructionType(one) },
  ],
  [
    TOKEN_2022_PROGRAM_ID.toBase58(),
    {
      name: "Token-2022",
      actionOf: ({ data }) => TokenInstruction[data[0]!] ?? METADATA_ACTIONS[data[0]!] ?? null,
    },
  ],
  [
    ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(),
    // Without data it is the first of them.
    { name: "Associated Token Account", actionOf: ({ data }) => ASSOCIATED_ACTIONS[data[0] ?? 0] ?? null },
  ],
  [MEMO_PROGRAM_ID.toBase58(), { name: "Memo", actionOf: () => "Memo" }],
])

/** Reads the bytes of a transaction, as they are sent. Throws for bytes that are none. */
export function decodeTransaction(wire: Buffer): DecodedTransaction {
  const { signatures, message } = VersionedTransaction.deserialize(wire)
  const keys = message.staticAccountKeys
  return {
    signatures: signatures.map((signature) => bs58.encode(signature)),
    fee_payer: keys[0]!.toBase58(),
    recent_blockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) =>
      decodeInstruction(
        new TransactionInstruction({
          programId: keys[programIdIndex]!,
          keys: accountKeyIndexes.map((index) => ({
            // Ours are legacy messages: every account stands in the message itself.
            pubkey: keys[index]!,
            isSigner: message.isAccountSigner(index),
            isWritable: message.isAccountWritable(index),
          })),
          data: Buffer.from(data),
        }),
      ),
    ),
  }
}

function decodeInstruction(instruction: TransactionInstruction): DecodedInstruction {
  const { programId, keys, data } = instruction
  const program = programs.get(programId.toBase58())
  return {
    program: programId.toBase58(),
    name: program?.name ?? null,
    action: program ? actionOf(program, instruction) : null,
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: pubkey.toBase58(),
      signer: isSigner,
      writable: isWritable,
    })),
    memo: programId.equals(MEMO_PROGRAM_ID) ? data.toString("utf8") : null,
    data: data.toString("base64"),
  }
}

function actionOf(program: Program, instruction: TransactionInstruction): string | null {
  try {
    return program.actionOf(instruction)
  } catch {
    return null // A kind that web3.js does not know.
  }
}
