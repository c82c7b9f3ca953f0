import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  TokenInstruction,
} from "@solana/spl-token"
import { ComputeBudgetProgram, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import { MEMO_PROGRAM_ID, tokenAccountTries } from "./addresses.ts"

// Compute units per instruction, measured on agave 4.1.2 and on the local network: the greater of the two plus a tenth.
// The local network's memo program is another build and takes almost nothing. `test/cluster/compute-units.test.ts`
// checks these figures. An instruction that is not listed is simulated (`ledger/simulated-units.ts`).

/** A cluster's limit for an instruction that sets none (agave: `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`). */
const DEFAULT_UNITS = 200_000
/** The maximum for a transaction (agave: `MAX_COMPUTE_UNIT_LIMIT`). */
export const MAX_UNITS = 1_400_000

const BUILTIN_UNITS = 165
const MEMO_UNITS = 1700
const MEMO_UNITS_PER_BYTE = 400
/** The memo program logs each signer in base58. */
const MEMO_UNITS_PER_SIGNER = 15_500
const ACCOUNT_UNITS = 19_500
/** For each address that the associated-token program tries. */
const TRY_UNITS = 1650

/** By the first byte of a Token-2022 instruction (token-2022 interface, `TokenInstruction`). */
const TOKEN_UNITS: Readonly<Record<number, number>> = {
  [TokenInstruction.SetAuthority]: 1500,
  [TokenInstruction.MintTo]: 2500,
  [TokenInstruction.MintToChecked]: 2500,
  [TokenInstruction.Burn]: 2800,
  [TokenInstruction.TransferChecked]: 3600,
  [TokenInstruction.BurnChecked]: 2800,
  [TokenInstruction.FreezeAccount]: 1400,
  [TokenInstruction.ThawAccount]: 1400,
  [TokenInstruction.InitializeMint2]: 2700,
  [TokenInstruction.InitializeAccount3]: 3900,
  [TokenInstruction.InitializeImmutableOwner]: 850,
  [TokenInstruction.InitializeNonTransferableMint]: 1100,
  [TokenInstruction.InitializePermanentDelegate]: 1300,
  [TokenInstruction.DefaultAccountStateExtension]: 1300,
  [TokenInstruction.MetadataPointerExtension]: 1400,
  [TokenInstruction.ScaledUiAmountExtension]: 1600,
  [TokenInstruction.PausableExtension]: 1600,
  [TokenInstruction.PermissionedBurnExtension]: 2800,
}

/** The same for the classic token program. Clusters with its rewrite (SIMD-0266) take 105. */
const CLASSIC_UNITS: Readonly<Record<number, number>> = {
  [TokenInstruction.TransferChecked]: 7000,
}

/** By the first eight bytes of a metadata interface instruction, in hex. They grow with the texts. */
const METADATA_UNITS: Readonly<Record<string, number>> = {
  // sha256("spl_token_metadata_interface:initialize_account")
  d2e11ea258b84d8d: 6000,
  // sha256("spl_token_metadata_interface:updating_field")
  dde9312db5cadcc8: 9000,
  // sha256("spl_token_metadata_interface:update_the_authority")
  d7e4a6e45464567b: 6500,
}

/** An upper bound for the compute units of an instruction: measured, or else the cluster's default limit. */
export const computeUnitsOf = (instruction: TransactionInstruction): number =>
  measuredUnitsOf(instruction) ?? DEFAULT_UNITS

/** Adds a margin to units that were used once. */
export const withMargin = (units: number): number => Math.ceil(units * 1.1)

/** The measured upper bound; null if there is none. */
export function measuredUnitsOf({ programId, data, keys }: TransactionInstruction): number | null {
  if (programId.equals(MEMO_PROGRAM_ID))
    return MEMO_UNITS + MEMO_UNITS_PER_BYTE * data.length + MEMO_UNITS_PER_SIGNER * keys.length
  if (programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID)) {
    const [, , wallet, mint, , program] = keys
    return ACCOUNT_UNITS + TRY_UNITS * tokenAccountTries(mint!.pubkey, wallet!.pubkey, program!.pubkey)
  }
  if (programId.equals(SystemProgram.programId) || programId.equals(ComputeBudgetProgram.programId))
    return BUILTIN_UNITS
  if (programId.equals(TOKEN_PROGRAM_ID)) return CLASSIC_UNITS[data[0]!] ?? null
  if (!programId.equals(TOKEN_2022_PROGRAM_ID)) return null
  const metadata = METADATA_UNITS[Buffer.from(data.subarray(0, 8)).toString("hex")]
  return metadata ?? TOKEN_UNITS[data[0]!] ?? null
}
