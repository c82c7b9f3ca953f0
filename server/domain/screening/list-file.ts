import { createHash } from "node:crypto"
import { constants, createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import bs58 from "bs58"
import { ADDRESS } from "#shared/address.ts"
import { AddressSet, KEY_BYTES } from "./address-set.ts"

/** Addresses of one list, at most. */
const MOST_ENTRIES = 1_000_000
/** Characters of a line, at most: more is no list. */
const LONGEST_LINE = 1_000_000
/** Characters of a line with an address, at least. */
const SHORTEST_LINE = 33
/** How long it reads before requests have their turn. */
const TURN_MS = 5
/** Lines between two looks at the time. */
const LINES = 64

/** Which file it is, when it was changed last, and how long it is: what differs has changed. */
export type Stamp = { inode: number; mtime_ms: number; ctime_ms: number; size: number }

export type ListFile = { digest: string; addresses: AddressSet; stamp: Stamp }

/** Why a file is no list, as people read it. */
export class WrongList extends Error {}

/** What is known of a file without reading it. Errors: WrongList. */
export async function stampOf(path: string): Promise<Stamp> {
  return opened(path, stampIn)
}

async function stampIn(file: FileHandle): Promise<Stamp> {
  const stat = await file.stat()
  // A directory says by itself what is wrong with it. Devices and pipes have no end.
  if (!stat.isFile() && !stat.isDirectory()) throw new WrongList("is no file")
  // Whoever copies a file may set the time of its content; that of its change, nobody can.
  return { inode: stat.ino, mtime_ms: stat.mtimeMs, ctime_ms: stat.ctimeMs, size: stat.size }
}

export const isSame = (one: Stamp | null, other: Stamp | null): boolean =>
  one !== null &&
  other !== null &&
  one.inode === other.inode &&
  one.mtime_ms === other.mtime_ms &&
  one.ctime_ms === other.ctime_ms &&
  one.size === other.size

async function opened<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T> {
  let file: FileHandle
  try {
    // A pipe without a writer would hold whoever opens it.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    throw new WrongList(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`)
  }
  try {
    return await read(file)
  } catch (error) {
    if (error instanceof WrongList) throw error
    throw new WrongList(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`)
  } finally {
    await file.close()
  }
}

/**
 * Reads a list: lines with an address each, or CSV, of each of which the first address counts. What has none is
 * skipped, such as a header, a comment and addresses of other chains. Errors: WrongList, where the file is empty, ends in
 * the middle of a line, or changes while it is read.
 */
export const readListFile = (path: string): Promise<ListFile> =>
  opened(path, async (file) => {
    const stamp = await stampIn(file)
    const hash = createHash("sha256")
    const addresses = new AddressSet(Math.min(MOST_ENTRIES, Math.ceil(stamp.size / SHORTEST_LINE)))
    let turn = performance.now()
    let rest = ""
    let lines = 0
    for await (const chunk of createReadStream(path, { fd: file.fd, autoClose: false, start: 0 })) {
      hash.update(chunk)
      // Addresses are ASCII: whatever else is in the file, no byte of it becomes one.
      const text = rest + (chunk as Buffer).toString("latin1")
      const whole = text.split("\n")
      rest = whole.pop()!
      if (rest.length > LONGEST_LINE) throw new WrongList("is no list: it has a line without an end")
      for (const line of whole) {
        const key = keyIn(line)
        if (key !== null) addresses.add(key)
        if (addresses.size > MOST_ENTRIES)
          throw new WrongList(`has more than ${MOST_ENTRIES} addresses. Split it into several files`)
        lines += 1
        if (lines % LINES !== 0 || performance.now() - turn < TURN_MS) continue
        await new Promise((resolve) => setImmediate(resolve))
        turn = performance.now()
      }
    }
    if (rest !== "")
      throw new WrongList(
        "may be half-written: its last line has no end. Write it whole, end it with a line break, and move it into place",
      )
    if (addresses.size === 0) throw new WrongList("has no Solana address")
    if (!isSame(stamp, await stampIn(file))) throw new WrongList("changed while it was read")
    return { digest: hash.digest("hex"), addresses, stamp }
  })

/** A line that is a comment; the first one of a file may have a byte order mark, read byte by byte. */
const COMMENT = /^(?:\u00ef\u00bb\u00bf)?\s*#/

/**
 * The first address in a line; null where there is none. Whatever is around it, such as quotes, a byte order mark or a remark,
 * an address that is passed over in silence would be worse than one too many.
 */
export function keyIn(line: string): Uint8Array | null {
  if (COMMENT.test(line)) return null
  for (const text of line.split(/[^A-Za-z0-9]+/)) {
    const key = ADDRESS.test(text) ? bs58.decodeUnsafe(text) : undefined
    if (key?.length === KEY_BYTES) return key
  }
  return null
}
