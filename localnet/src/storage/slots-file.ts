import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs"

/**
 * Slots whose blocks were rolled back: the block of slot `to` follows the block of `parent`. `root` was finalized at
 * that time, and stays finalized although block heights are lower again.
 */
export type Fork = { parent: number; to: number; root: number }

/** Stores the newest slot, and which slots were rolled back. */
export type SlotsFile = {
  number(): number | null
  write(number: number): void
  forks(): Fork[]
  writeForks(forks: readonly Fork[]): void
  close(): void
}

export function openSlotsFile(path: string): SlotsFile {
  const file = openSync(path, existsSync(path) ? "r+" : "w+")
  const forksPath = `${path}.forks.json`
  const bytes = Buffer.alloc(8)
  return {
    number() {
      if (readSync(file, bytes, 0, 8, 0) === 8) return Number(bytes.readBigUInt64LE())
      ftruncateSync(file, 0)
      return null
    },
    /** One write of eight bytes: after a kill, the file has either the old number or the new one. */
    write(number) {
      bytes.writeBigUInt64LE(BigInt(number))
      writeSync(file, bytes, 0, 8, 0)
    },
    forks: () => (existsSync(forksPath) ? (JSON.parse(readFileSync(forksPath, "utf8")) as Fork[]) : []),
    writeForks(forks) {
      writeFileSync(`${forksPath}.draft`, JSON.stringify(forks))
      renameSync(`${forksPath}.draft`, forksPath)
    },
    close: () => closeSync(file),
  }
}
