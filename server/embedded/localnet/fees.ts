import { COMPUTE_BUDGET_PROGRAM, knownKey, SYSTEM_PROGRAM } from "./keys.ts"
import type { Message } from "./wire.ts"

export const LAMPORTS_PER_SIGNATURE = 5_000
const MICRO_LAMPORTS = 1_000_000n
const MAX_COMPUTE_UNITS = 1_400_000
/** What an instruction is given when the transaction sets no limit (SIMD-170). */
const UNITS_PER_INSTRUCTION = 200_000
const UNITS_PER_BUILTIN_INSTRUCTION = 3_000

/** Programs that are part of the validator (agave's `builtins-default-costs`). */
const builtins = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  knownKey("Vote111111111111111111111111111111111111111"),
  knownKey("BPFLoader1111111111111111111111111111111111"),
  knownKey("BPFLoader2111111111111111111111111111111111"),
  knownKey("BPFLoaderUpgradeab1e11111111111111111111111"),
])

/** Lamports that a transaction costs: its signatures, and its price per compute unit times its limit of units. */
export function feeOf(message: Message): number {
  let price = 0n
  let limit: number | null = null
  let defaultLimit = 0
  for (const { programIdIndex, data } of message.instructions) {
    const program = message.keys[programIdIndex]!
    defaultLimit += builtins.has(program) ? UNITS_PER_BUILTIN_INSTRUCTION : UNITS_PER_INSTRUCTION
    if (program !== COMPUTE_BUDGET_PROGRAM) continue
    if (data[0] === 2 && data.length >= 5) limit = data.readUInt32LE(1)
    else if (data[0] === 3 && data.length >= 9) price = data.readBigUInt64LE(1)
  }
  const units = BigInt(Math.min(limit ?? defaultLimit, MAX_COMPUTE_UNITS))
  const priority = (price * units + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  return message.requiredSignatures * LAMPORTS_PER_SIGNATURE + Number(priority)
}
