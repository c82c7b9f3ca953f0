import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs"
import { crc32 } from "node:zlib"

/** Before each body: its u32 length and u32 CRC-32, little-endian. */
const HEADER_BYTES = 8
const READ_BYTES = 4 << 20

/** Where a frame's body is in the journal, without its header. */
export type Place = { offset: number; length: number }

/**
 * An append-only file of frames. `append` returns once the operating system has the bytes, which then survive a
 * `kill -9`. It does not wait for the disk, so a power loss may cost the last moments of this test chain.
 */
export type Journal = {
  append(body: Buffer): Place
  /** Up to `length` bytes of the body at a place. */
  read(offset: number, length: number): Buffer
  readonly end: number
  /** Removes the body at this place and all later ones. */
  truncate(place: Place): void
  close(): void
}

export function memoryJournal(): Journal {
  const bodies = new Map<number, Buffer>()
  let end = 0
  return {
    append(body) {
      const place = { offset: end, length: body.length }
      bodies.set(place.offset, body)
      end += body.length + 1
      return place
    },
    read: (offset, length) => bodies.get(offset)!.subarray(0, length),
    get end() {
      return end
    },
    truncate({ offset }) {
      for (const at of bodies.keys()) if (at >= offset) bodies.delete(at)
      end = offset
    },
    close() {},
  }
}

export function fileJournal(path: string): Journal & { scan(verifyFrom: number): Iterable<Frame> } {
  const file = openSync(path, "a+")
  let end = fstatSync(file).size
  return {
    append(body) {
      const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length)
      frame.writeUInt32LE(body.length, 0)
      frame.writeUInt32LE(crc32(body), 4)
      body.copy(frame, HEADER_BYTES)
      try {
        for (let written = 0; written < frame.length; ) written += writeSync(file, frame, written)
      } catch (error) {
        // A full disk may have half of the frame. The next frame must not follow a broken one.
        ftruncateSync(file, end)
        throw error
      }
      const place = { offset: end + HEADER_BYTES, length: body.length }
      end += frame.length
      return place
    },
    read(offset, length) {
      const bytes = Buffer.allocUnsafe(length)
      return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
    },
    *scan(verifyFrom) {
      const last = yield* frames(file, end, verifyFrom)
      // A kill may have torn the last frame. Its transaction was never acknowledged.
      if (last < end) ftruncateSync(file, last)
      end = last
    },
    get end() {
      return end
    },
    truncate({ offset }) {
      end = offset - HEADER_BYTES
      ftruncateSync(file, end)
    },
    close() {
      fdatasyncSync(file)
      closeSync(file)
    },
  }
}

type Frame = { place: Place; body: Buffer }

/** Yields every whole frame, and returns the end of the last one. Throws for damage anywhere but at the end. */
function* frames(file: number, size: number, verifyFrom: number): Generator<Frame, number> {
  let window = Buffer.alloc(0)
  let windowAt = 0
  let at = 0
  const load = (length: number): boolean => {
    if (at + length > size) return false
    if (at + length > windowAt + window.length || at < windowAt) {
      window = Buffer.allocUnsafe(Math.min(Math.max(length, READ_BYTES), size - at))
      readSync(file, window, 0, window.length, at)
      windowAt = at
    }
    return true
  }
  while (load(HEADER_BYTES)) {
    const length = window.readUInt32LE(at - windowAt)
    const sum = window.readUInt32LE(at - windowAt + 4)
    if (length === 0 || !load(HEADER_BYTES + length)) return at
    const start = at - windowAt + HEADER_BYTES
    const body = window.subarray(start, start + length)
    const next = at + HEADER_BYTES + length
    if (at >= verifyFrom && crc32(body) !== sum) {
      if (next >= size) return at
      throw new Error(`the ledger is damaged at byte ${at}, with intact transactions after it`)
    }
    yield { place: { offset: at + HEADER_BYTES, length }, body }
    at = next
  }
  return at
}
