import { CallError, unanswered } from "#app/api.ts"
import { notify } from "#app/components/toast.ts"
import { countOf } from "#shared/counts.ts"

const REPORT_EVERY_MS = 250
/** Parts of this size are combined into one blob, which the browser keeps on disk. */
const PART_BYTES = 4 * 1024 * 1024

export type Progress = {
  rows: number
  /** The total number of rows, if the server knows it. */
  total: number | null
}

/** Downloads and saves a file, and returns its number of rows. Errors: CallError. */
export async function saveExport(
  url: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const { file, name, rows } = await download(url, signal, onProgress)
  save(file, name)
  notify(`Exported ${countOf(rows, "row")}`)
}

async function download(url: string, signal: AbortSignal, onProgress: (progress: Progress) => void) {
  const response = await fetch(url, { signal }).catch(unanswered)
  if (!response.ok || response.body === null)
    throw new CallError(response.status, await response.json().catch(() => null))
  const type = response.headers.get("content-type") ?? "text/csv"
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "export.csv"
  const known = response.headers.get("vouch-rows")
  const total = known === null ? null : Number(known)
  const counter = new RowCounter()
  const parts: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  let reported_ms = performance.now()
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(unanswered)
    if (done) break
    counter.add(value)
    chunks.push(value)
    bytes += value.length
    if (bytes >= PART_BYTES) {
      parts.push(new Blob(chunks))
      chunks = []
      bytes = 0
    }
    if (performance.now() - reported_ms >= REPORT_EVERY_MS) {
      reported_ms = performance.now()
      onProgress({ rows: counter.rows, total })
    }
  }
  return { file: new Blob([...parts, ...chunks], { type }), name, rows: counter.rows }
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser has read the file by the time this runs.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/** Counts the rows of a CSV file while it arrives. A line break within quotes does not end a row. */
export class RowCounter {
  #lines = 0
  #isQuoted = false

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // A quote within a cell is doubled, so the two cancel each other.
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted
      else if (byte === LINE_FEED && !this.#isQuoted) this.#lines += 1
    }
  }

  get rows(): number {
    return Math.max(0, this.#lines - 1)
  }
}
