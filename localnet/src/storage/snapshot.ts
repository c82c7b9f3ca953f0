import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { crc32 } from "node:zlib"
import { type Change, encodeChange, readChanges } from "./record.ts"

/** u32 CRC-32 of what follows, u48 the journal's offset from which to go on. */
const HEADER_BYTES = 10
/** Accounts written before other work gets its turn: about a millisecond. */
const ACCOUNTS_PER_TURN = 250

/**
 * Writes the accounts beside the old snapshot and then takes its place. Transactions go on meanwhile, so an account
 * may be newer here than `journalEnd`; since the journal holds whole states and not steps, going over it again from
 * there ends at the same state.
 */
export async function writeSnapshot(
  path: string,
  journalEnd: number,
  accounts: Iterable<Change>,
): Promise<void> {
  const draft = `${path}.draft`
  const file = openSync(draft, "w")
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUIntLE(journalEnd, 4, 6)
    let sum = crc32(header.subarray(4))
    writeSync(file, header)
    let pending: Buffer[] = []
    const flush = () => {
      const bytes = Buffer.concat(pending)
      pending = []
      sum = crc32(bytes, sum)
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    }
    for (const change of accounts) {
      if (pending.push(encodeChange(change)) < ACCOUNTS_PER_TURN) continue
      flush()
      await nextTurn()
    }
    flush()
    header.writeUInt32LE(sum, 0)
    writeSync(file, header, 0, 4, 0)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

/** The snapshot, or null when there is none or it is damaged: the journal alone holds everything, too. */
export function readSnapshot(path: string): { journalEnd: number; accounts: Iterable<Change> } | null {
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  if (bytes.length < HEADER_BYTES || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return null
  return { journalEnd: bytes.readUIntLE(4, 6), accounts: readChanges(bytes, HEADER_BYTES) }
}
