import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  base58OfKey,
  isTokenProgram,
  type Key,
  keyAt,
  SYSTEM_PROGRAM,
  SYSVAR_PROGRAM,
  TOKEN_2022_PROGRAM,
} from "../chain/keys.ts"
import { readMint, readTokenAccount, uiAmount } from "../chain/token-layout.ts"
import type { Account } from "../chain/vm.ts"
import { extensionsOf } from "./token-extensions.ts"

const NONCE_ACCOUNT_BYTES = 80
const CLOCK_BYTES = 40
const RENT_BYTES = 17
const LOOKUP_TABLE = 1
/** A lookup table's addresses follow its metadata. */
const TABLE_META_BYTES = 56
const SYSVAR_FEES = 5_000

type Parsed = { program: string; parsed: { type: string; info: unknown }; space: number }

/** An account's data in `jsonParsed`. Null if it is of another kind. */
export function parsedAccount(account: Account, find: (key: Key) => Account | null): Parsed | null {
  const { owner, data } = account
  if (isTokenProgram(owner)) return parsedToken(account, find)
  if (owner === SYSTEM_PROGRAM && data.length === NONCE_ACCOUNT_BYTES) return parsedNonce(data)
  if (owner === ADDRESS_LOOKUP_TABLE_PROGRAM) return parsedTable(data)
  if (owner === SYSVAR_PROGRAM && data.length === CLOCK_BYTES) return parsedClock(data)
  if (owner === SYSVAR_PROGRAM && data.length === RENT_BYTES)
    return parsed("sysvar", data, "rent", { lamportsPerByte: data.readBigUInt64LE(0).toString() })
  return null
}

const parsed = (program: string, { length }: Buffer, type: string, info: unknown): Parsed => ({
  program,
  parsed: { type, info },
  space: length,
})

const addressAt = (data: Buffer, offset: number) => base58OfKey(keyAt(data, offset))
/** `COption<Pubkey>`: a u32 tag, then the address. */
const optionAt = (data: Buffer, offset: number) =>
  data.readUInt32LE(offset) === 0 ? null : addressAt(data, offset + 4)

function parsedToken(account: Account, find: (key: Key) => Account | null): Parsed | null {
  const { data, owner } = account
  const program = owner === TOKEN_2022_PROGRAM ? "spl-token-2022" : "spl-token"
  const extensions = extensionsOf(data)
  const more = extensions.length === 0 ? {} : { extensions }
  const mint = readMint(account)
  if (mint !== null)
    return parsed(program, data, "mint", {
      decimals: mint.decimals,
      freezeAuthority: optionAt(data, 46),
      isInitialized: true,
      mintAuthority: optionAt(data, 0),
      supply: mint.supply.toString(),
      ...more,
    })
  const token = readTokenAccount(account)
  const mintAccount = token === null ? null : find(token.mint)
  const decimals = mintAccount === null ? null : (readMint(mintAccount)?.decimals ?? null)
  if (token === null || decimals === null) return null
  const delegate = optionAt(data, 72)
  const rentExempt = data.readUInt32LE(109) === 0 ? null : data.readBigUInt64LE(113)
  const closeAuthority = optionAt(data, 129)
  return parsed(program, data, "account", {
    isNative: rentExempt !== null,
    mint: base58OfKey(token.mint),
    owner: base58OfKey(token.owner),
    state: ["uninitialized", "initialized", "frozen"][data[108]!],
    tokenAmount: uiAmount(token.amount, decimals),
    ...(delegate !== null && { delegate, delegatedAmount: uiAmount(data.readBigUInt64LE(121), decimals) }),
    ...(rentExempt !== null && { rentExemptReserve: uiAmount(rentExempt, decimals) }),
    ...(closeAuthority !== null && { closeAuthority }),
    ...more,
  })
}

function parsedNonce(data: Buffer): Parsed | null {
  if (data.readUInt32LE(4) !== 1) return parsed("nonce", data, "uninitialized", undefined)
  return parsed("nonce", data, "initialized", {
    authority: addressAt(data, 8),
    blockhash: addressAt(data, 40),
    feeCalculator: { lamportsPerSignature: String(data.readBigUInt64LE(72) || SYSVAR_FEES) },
  })
}

function parsedTable(data: Buffer): Parsed | null {
  if (data.length < TABLE_META_BYTES || data.readUInt32LE(0) !== LOOKUP_TABLE) return null
  const count = Math.floor((data.length - TABLE_META_BYTES) / 32)
  return parsed("address-lookup-table", data, "lookupTable", {
    addresses: Array.from({ length: count }, (_, index) => addressAt(data, TABLE_META_BYTES + 32 * index)),
    ...(data[21] === 1 && { authority: addressAt(data, 22) }),
    deactivationSlot: data.readBigUInt64LE(4).toString(),
    lastExtendedSlot: data.readBigUInt64LE(12).toString(),
    lastExtendedSlotStartIndex: data[20],
  })
}

function parsedClock(data: Buffer): Parsed {
  const at = (offset: number) => Number(data.readBigInt64LE(offset))
  return parsed("sysvar", data, "clock", {
    slot: at(0),
    epochStartTimestamp: at(8),
    epoch: at(16),
    leaderScheduleEpoch: at(24),
    unixTimestamp: at(32),
  })
}
