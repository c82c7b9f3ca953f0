import { expect, test } from "vitest"
import { readTransactionError } from "./program-error.ts"

test.each([
  [{ InstructionError: [3, { Custom: 17 }] }, { kind: "instruction", index: 3, error: { custom: 17, name: "Custom" } }],
  [
    { InstructionError: [0, "InvalidAccountData"] },
    { kind: "instruction", index: 0, error: { custom: null, name: "InvalidAccountData" } },
  ],
  [
    { InstructionError: [1, { BorshIoError: "x" }] },
    { kind: "instruction", index: 1, error: { custom: null, name: "BorshIoError" } },
  ],
  ["InsufficientFundsForFee", { kind: "funds" }],
  ["AccountNotFound", { kind: "funds" }],
  [{ InsufficientFundsForRent: { account_index: 0 } }, { kind: "funds" }],
  ["WouldExceedMaxBlockCostLimit", { kind: "other", name: "WouldExceedMaxBlockCostLimit" }],
  [
    { ProgramExecutionTemporarilyRestricted: { account_index: 1 } },
    { kind: "other", name: "ProgramExecutionTemporarilyRestricted" },
  ],
])("%j is parsed", (error, expected) => {
  expect(readTransactionError(error)).toEqual(expected)
})
