import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TokenInstruction } from "@solana/spl-token"
import { ComputeBudgetProgram, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import { MEMO_PROGRAM_ID, tokenAccountTries } from "./addresses.ts"

// What instructions take, measured on agave 4.1.2 and on the local network, the greater of the two and a tenth more. The
// local network's memo program is another build, and takes next to nothing. `test/cluster/compute-units.test.ts` holds them to it. What is missing is simulated (`ledger/simulated-units.ts`).

/** What a cluster grants an instruction that no limit was set for (agave: `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`). */
const DEFAULT_UNITS = 200_000
/** The most that a transaction can have (agave: `MAX_COMPUTE_UNIT_LIMIT`). */
export const MAX_UNITS = 1_400_000

const BUILTIN_UNITS = 165
const MEMO_UNITS = 1700
const MEMO_UNITS_PER_BYTE = 400
/** It writes each into its log, in base58. */
const MEMO_UNITS_PER_SIGNER = 15_500
const ACCOUNT_UNITS = 19_500
/** Of each address that the associated-token program tries. */
const TRY_UNITS = 1650

/** By the first byte of Token-2022's instructions (token-2022 interface, `TokenInstruction`). */
const TOKEN_UNITS: Readonly<Record<number, number>> = {
  [TokenInstruction.SetAuthority]: 1500,
  [TokenInstruction.MintTo]: 2500,
  [TokenInstruction.MintToChecked]: 2500,
  [TokenInstruction.Burn]: 2800,
  [TokenInstruction.TransferChecked]: 3600,
  [TokenInstruction.FreezeAccount]: 1400,
  [TokenInstruction.ThawAccount]: 1400,
  [TokenInstruction.InitializeMint]: 2700,
  [TokenInstruction.InitializeNonTransferableMint]: 1100,
  [TokenInstruction.InitializePermanentDelegate]: 1300,
  [TokenInstruction.DefaultAccountStateExtension]: 1300,
  [TokenInstruction.MetadataPointerExtension]: 1400,
  [TokenInstruction.PausableExtension]: 1600,
}

/** By the first eight bytes of the metadata interface's instructions, in hex. They grow with their texts. */
const METADATA_UNITS: Readonly<Record<string, number>> = {
  // sha256("spl_token_metadata_interface:initialize_account")
  d2e11ea258b84d8d: 6000,
  // sha256("spl_token_metadata_interface:updating_field")
  dde9312db5cadcc8: 9000,
  // sha256("spl_token_metadata_interface:update_the_authority")
  d7e4a6e45464567b: 6500,
}

/** How many compute units an instruction takes at most, with room to spare; what a cluster grants where nobody measured. */
export const computeUnitsOf = (instruction: TransactionInstruction): number =>
  measuredUnitsOf(instruction) ?? DEFAULT_UNITS

/** What units that were taken once have room to spare with. */
export const withRoom = (units: number): number => Math.ceil(units * 1.1)

/** The same; null where nobody measured. */
export function measuredUnitsOf({ programId, data, keys }: TransactionInstruction): number | null {
  if (programId.equals(MEMO_PROGRAM_ID))
    return MEMO_UNITS + MEMO_UNITS_PER_BYTE * data.length + MEMO_UNITS_PER_SIGNER * keys.length
  if (programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID)) {
    const [, , wallet, mint] = keys
    return ACCOUNT_UNITS + TRY_UNITS * tokenAccountTries(mint!.pubkey, wallet!.pubkey)
  }
  if (programId.equals(SystemProgram.programId) || programId.equals(ComputeBudgetProgram.programId))
    return BUILTIN_UNITS
  if (!programId.equals(TOKEN_2022_PROGRAM_ID)) return null
  const metadata = METADATA_UNITS[Buffer.from(data.subarray(0, 8)).toString("hex")]
  return metadata ?? TOKEN_UNITS[data[0]!] ?? null
}
