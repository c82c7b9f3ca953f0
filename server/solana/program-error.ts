import type { TransactionError } from "@solana/web3.js"

/** A program's error and the instruction that caused it. */
export type ProgramError = {
  /** The program's error number; null for an error of the runtime. */
  custom: number | null
  /** The runtime's name, such as `InvalidAccountData`; `Custom` for the program's own errors. */
  name: string
}

/** Why a transaction failed. */
export type TransactionFailure =
  /** An instruction failed, so its operation is at fault. */
  | { kind: "instruction"; index: number; error: ProgramError }
  /** The fee payer cannot pay. The operations are fine. */
  | { kind: "funds" }
  /** Any other runtime error. */
  | { kind: "other"; name: string }

// Transaction errors that mean "the fee payer has too little SOL"
// (https://docs.rs/solana-transaction-error: TransactionError).
const FUNDS = new Set(["InsufficientFundsForFee", "InsufficientFundsForRent", "AccountNotFound"])

/** Reads the `err` of a transaction's status: `{ InstructionError: [index, name | { Custom: n }] }` or a name. */
export function readTransactionError(error: TransactionError): TransactionFailure {
  if (typeof error === "string") return FUNDS.has(error) ? { kind: "funds" } : { kind: "other", name: error }
  const entry = (error as { InstructionError?: [number, string | { Custom: number }] }).InstructionError
  if (!entry) {
    const name = Object.keys(error)[0] ?? "Unknown"
    return FUNDS.has(name) ? { kind: "funds" } : { kind: "other", name }
  }
  const [index, detail] = entry
  if (typeof detail === "string") return { kind: "instruction", index, error: { custom: null, name: detail } }
  const custom = typeof detail.Custom === "number" ? detail.Custom : null
  const name = custom === null ? (Object.keys(detail)[0] ?? "Unknown") : "Custom"
  return { kind: "instruction", index, error: { custom, name } }
}

/** Token-2022 error numbers that operations can cause (token-2022 interface, `TokenError`). */
export const TokenError = { InsufficientFunds: 1, InvalidInstruction: 12, InvalidState: 13, AccountFrozen: 17 } as const

/** System program error numbers that creating an account can cause (solana-system-interface, `SystemError`). */
export const SystemError = { AccountAlreadyInUse: 0, ResultWithNegativeLamports: 1 } as const
