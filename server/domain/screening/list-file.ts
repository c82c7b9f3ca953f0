import { createHash } from "node:crypto"
import { constants, createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import bs58 from "bs58"
import { ADDRESS } from "#shared/address.ts"
import { AddressSet, KEY_BYTES } from "./address-set.ts"

/** The most addresses of a list. */
const MOST_ENTRIES = 1_000_000
/** The longest line, in characters. A file with a longer one is not a list. */
const LONGEST_LINE = 1_000_000
/** The shortest line that can have an address, in characters. */
const SHORTEST_LINE = 33
/** How long reading may block before requests run. */
const TURN_MS = 5
/** Lines between two checks of the time. */
const LINES = 64

/** A file's identity, last change and size. If they differ, the file has changed. */
export type Stamp = { inode: number; mtime_ms: number; ctime_ms: number; size: number }

export type ListFile = { digest: string; addresses: AddressSet; stamp: Stamp }

/** Why a file is not a list, for operators. */
export class WrongList extends Error {}

/** A file's stamp, without reading the file. Errors: WrongList. */
export async function stampOf(path: string): Promise<Stamp> {
  return opened(path, stampIn)
}

async function stampIn(file: FileHandle): Promise<Stamp> {
  const stat = await file.stat()
  // Refuse devices and pipes, which have no end. Opening a directory fails with its own message.
  if (!stat.isFile() && !stat.isDirectory()) throw new WrongList("is not a file")
  // Include ctime: copying a file can set mtime, but not ctime.
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
    // Without O_NONBLOCK, opening a pipe without a writer would block.
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
 * Reads a list: one address per line, or CSV, where the first address of a line counts. Skips lines without one, such
 * as headers, comments and addresses of other chains. Errors: WrongList, if the file has no address, ends in the middle
 * of a line, or changes while it is read.
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
      // Addresses are ASCII, so any encoding of the rest of the file can be read as latin1.
      const text = rest + (chunk as Buffer).toString("latin1")
      const whole = text.split("\n")
      rest = whole.pop()!
      if (rest.length > LONGEST_LINE) throw new WrongList("is not a list: it has a line that is too long")
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
        "may be half-written: its last line does not end with a line break. Write the whole file, end it with a line break, and move it into place",
      )
    if (addresses.size === 0) throw new WrongList("has no Solana address")
    if (!isSame(stamp, await stampIn(file))) throw new WrongList("changed while it was read")
    return { digest: hash.digest("hex"), addresses, stamp }
  })

/** A comment line. The first line of a file may begin with a byte order mark, here read as latin1. */
const COMMENT = /^(?:\u00ef\u00bb\u00bf)?\s*#/

/**
 * The first address in a line; null if there is none. Accepts anything around it, such as quotes, a byte order mark or
 * a remark: silently skipping an address would be worse than listing one too many.
 */
export function keyIn(line: string): Uint8Array | null {
  if (COMMENT.test(line)) return null
  for (const text of line.split(/[^A-Za-z0-9]+/)) {
    const key = ADDRESS.test(text) ? bs58.decodeUnsafe(text) : undefined
    if (key?.length === KEY_BYTES) return key
  }
  return null
}
