import type { TransactionError } from "@solana/web3.js"

/** An error of a program, with the instruction that it came from. */
export type ProgramError = {
  /** The program's own number, or null for an error of the runtime. */
  custom: number | null
  /** The runtime's name for it, such as `InvalidAccountData`; `Custom` for the program's own. */
  name: string
}

/** What kept a whole transaction from its effect. */
export type TransactionFailure =
  /** An instruction failed: the operation that it belongs to is to blame. */
  | { kind: "instruction"; index: number; error: ProgramError }
  /** The fee payer cannot pay; nothing is wrong with the operations. */
  | { kind: "funds" }
  /** Anything else of the runtime. */
  | { kind: "other"; name: string }

// Errors of a transaction as a whole that say "the fee payer has too little"
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

/** Error numbers of Token-2022 that operations can meet (token-2022 interface, `TokenError`). */
export const TokenError = { InsufficientFunds: 1, InvalidState: 13, AccountFrozen: 17 } as const

/** Error numbers of the System program that creating an account can meet (solana-system-interface, `SystemError`). */
export const SystemError = { AccountAlreadyInUse: 0, ResultWithNegativeLamports: 1 } as const
