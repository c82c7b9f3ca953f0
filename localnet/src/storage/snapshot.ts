import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { setImmediate as otherWork } from "node:timers/promises"
import { crc32 } from "node:zlib"
import { type Change, encodeChange, readChanges } from "./record.ts"

/** u32 CRC-32 of the rest, u48 offset in the journal from which to replay. */
const HEADER_BYTES = 10
/** Accounts written before the event loop continues with other work: about a millisecond. */
const ACCOUNTS_PER_BATCH = 250

/**
 * Writes the accounts to a draft, which then replaces the old snapshot. Transactions continue while it is written, so
 * an account may be newer than `journalEnd`. The journal has whole states, not steps, so replaying it from there ends
 * in the same state.
 */
export async function writeSnapshot(path: string, journalEnd: number, accounts: Iterable<Change>): Promise<void> {
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
      if (pending.push(encodeChange(change)) < ACCOUNTS_PER_BATCH) continue
      flush()
      await otherWork()
    }
    flush()
    header.writeUInt32LE(sum, 0)
    writeSync(file, header, 0, 4, 0)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

/** The snapshot. Null if it is missing or damaged: the journal alone has everything, too. */
export function readSnapshot(path: string): { journalEnd: number; accounts: Iterable<Change> } | null {
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  if (bytes.length < HEADER_BYTES || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return null
  return { journalEnd: bytes.readUIntLE(4, 6), accounts: readChanges(bytes, HEADER_BYTES) }
}
