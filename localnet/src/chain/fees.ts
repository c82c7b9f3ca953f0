import { COMPUTE_BUDGET_PROGRAM, knownKey, SYSTEM_PROGRAM } from "./keys.ts"
import { isWritable, type Message } from "./wire.ts"

const LAMPORTS_PER_SIGNATURE = 5_000
const MICRO_LAMPORTS = 1_000_000n
const MAX_COMPUTE_UNITS = 1_400_000
/** Compute units per instruction if the transaction sets no limit (SIMD-170). */
const UNITS_PER_INSTRUCTION = 200_000
const UNITS_PER_BUILTIN_INSTRUCTION = 3_000

/** Programs that are built into the validator (agave's `builtins-default-costs`). */
const builtins = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  knownKey("Vote111111111111111111111111111111111111111"),
  knownKey("BPFLoader1111111111111111111111111111111111"),
  knownKey("BPFLoader2111111111111111111111111111111111"),
  knownKey("BPFLoaderUpgradeab1e11111111111111111111111"),
])

/** A transaction's fee in lamports: for its signatures, and its price per compute unit times its compute limit. */
export function feeOf(message: Message): number {
  const base = message.requiredSignatures * LAMPORTS_PER_SIGNATURE
  if (message.config !== null) return base + Number(message.config.priorityFee ?? 0n)
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
  return base + Number(priority)
}

/**
 * How much a transaction counts towards the limits of its block (agave's `cost_model.rs`): signatures, write locks,
 * data and compute units. A cluster also counts the bytes of loaded accounts, which is one page here.
 */
export function costOf(message: Message, computeUnits: number): number {
  const written = message.keys.filter((_, index) => isWritable(message, index)).length
  const loaded = message.lookups.reduce((count, { writable }) => count + writable.length, 0)
  const dataBytes = message.instructions.reduce((bytes, { data }) => bytes + data.length, 0)
  return 720 * message.requiredSignatures + 300 * (written + loaded) + Math.floor(dataBytes / 4) + computeUnits + 8
}
