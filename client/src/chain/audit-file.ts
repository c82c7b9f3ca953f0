import { hex, sha256, utf8 } from "../bytes.ts"

/** Places in the hash chain of an audit log, both included. */
export type AuditRange = { from: number; to: number }

/** Where a file is not what the hash chain says. */
export type AuditBreak = AuditRange & {
  kind: /** An entry, its hash or its readable columns were changed. Of two places, one of both was. */
    | "changed"
    /** Entries between others, or after the last one, are not in the file. */
    | "missing"
    /** The file has an entry twice. */
    | "repeated"
    /** An entry is not in its place in the file. */
    | "reordered"
    /** The file ends in the middle of a line. */
    | "cut_off"
    /** Right below this entry stands one without a place. Only entries newer than all others can have none. */
    | "unplaced"
    /** The file begins here, and nothing shows that it reaches back to `since`. */
    | "begins_late"
    /** The issuer put another hash of this place on chain: this entry, or one before it, was changed since. */
    | "contradicted"
    /** The same, and the log itself says that a restore of the database lost the entries that were anchored. */
    | "lost"
}

/** An entry whose text has the hash that the file gives. */
export type FileEntry = {
  place: number
  /** Milliseconds since 1970. */
  at: number
  action: string
  subject: string
  previous: string
  hash: string
}

type AuditFile = {
  /** From the oldest. Those that were changed are missing here. */
  entries: FileEntry[]
  /** Entries that were not linked yet when the file was made. */
  unlinked: number
  breaks: AuditBreak[]
  /** Columns that no hash covers, such as `subject_name`, which is looked up for the export. */
  unprovenColumns: string[]
}

/** The hash before the first entry: 32 zero bytes. */
const FIRST_HASH = "0".repeat(64)

/** Columns in the order of the values in `hashed_text`. */
const HASHED = [
  "place",
  "at",
  "action",
  "actor",
  "actor_id",
  "actor_name",
  "subject",
  "scope",
  "detail",
  "request_id",
] as const
const COLUMNS = [...HASHED, "previous_hash", "hash", "hashed_text"] as const
type Row = Record<(typeof COLUMNS)[number], string>

/** Reads an export of the audit log, and checks each entry and that each follows the one before it. */
export async function readAuditFile(csv: string): Promise<AuditFile> {
  const { rows, unprovenColumns, isCutOff, hasEnd } = rowsOf(csv)
  const breaks: AuditBreak[] = []
  const entries = new Map<number, FileEntry>()
  const places: number[] = []
  for (const [i, row] of rows.entries()) {
    if (row.place === "") continue
    const place = Number(row.place)
    if (!Number.isSafeInteger(place) || place < 1) throw new TypeError(`csv: ${row.place} is not a place in the chain`)
    places.push(place)
    if (entries.has(place)) breaks.push(at("repeated", place))
    const entry = await entryOf(row, place)
    const isEnd = !hasEnd && i === rows.length - 1
    if (entry === null) breaks.push(at(isEnd ? "cut_off" : "changed", place))
    else entries.set(place, entry)
  }
  if (isCutOff) breaks.push(at("cut_off", places.at(-1) ?? 0))
  const isTurned = places.filter((place, i) => place > (places[i - 1] ?? place)).length > places.length / 2
  const newestFirst = isTurned ? [...rows].reverse() : rows
  breaks.push(...outOfOrder(newestFirst.flatMap(({ place }) => (place === "" ? [] : [Number(place)]))))
  breaks.push(...unplaced(newestFirst))
  const sorted = [...entries.values()].sort((a, b) => a.place - b.place)
  breaks.push(...gapsIn(sorted, new Set(places)))
  const unlinked = rows.filter(({ place }) => place === "").length
  return { entries: sorted, unlinked, breaks: breaks.sort((a, b) => a.from - b.from), unprovenColumns }
}

const at = (kind: AuditBreak["kind"], from: number, to = from): AuditBreak => ({ kind, from, to })

/** Entries that are newer than the one above them. The file has the newest first, or the oldest if it was turned around. */
function outOfOrder(newestFirst: readonly number[]): AuditBreak[] {
  return newestFirst.flatMap((place, i) => {
    const before = newestFirst[i - 1]
    return before !== undefined && place > before ? [at("reordered", place)] : []
  })
}

/** Entries get their places in order, so one without a place is newer than all that have one. */
function unplaced(newestFirst: readonly Row[]): AuditBreak[] {
  return newestFirst.flatMap(({ place }, i) =>
    place !== "" && newestFirst[i + 1]?.place === "" ? [at("unplaced", Number(place))] : [],
  )
}

/** Whether an entry has a sound predecessor in the file. */
export const follows = (entry: FileEntry, before: FileEntry | undefined): boolean =>
  before !== undefined && before.place + 1 === entry.place && before.hash === entry.previous

function gapsIn(entries: readonly FileEntry[], places: ReadonlySet<number>): AuditBreak[] {
  const breaks: AuditBreak[] = []
  const [first] = entries
  if (first?.place === 1 && first.previous !== FIRST_HASH) breaks.push(at("changed", 1))
  for (const [i, entry] of entries.entries()) {
    const before = entries[i - 1]
    if (before === undefined || follows(entry, before)) continue
    const [from, to] = [before.place + 1, entry.place - 1]
    if (from > to) breaks.push(at("changed", before.place, entry.place))
    // An entry that was changed is in the file.
    for (let place = from; place <= to; place++) {
      if (places.has(place)) continue
      const start = place
      while (place < to && !places.has(place + 1)) place++
      breaks.push(at("missing", start, place))
    }
  }
  return breaks
}

/** Null if the text does not have its hash, or if the readable columns say something else than the text. */
async function entryOf(row: Row, place: number): Promise<FileEntry | null> {
  const { previous_hash: previous, hash, hashed_text: text } = row
  if (hex(await sha256(utf8(previous + text))) !== hash) return null
  const values = parsed(text)
  if (values === null || values[0] !== place) return null
  const time = Number(values[1])
  const shown = values.map((value, i) => {
    if (i === 1) return `${new Date(time).toISOString().slice(0, 19)}Z`
    return value === null ? "" : String(value)
  })
  if (!HASHED.every((column, i) => says(row[column], shown[i]!))) return null
  return { place, at: time, action: row.action, subject: row.subject, previous, hash }
}

function parsed(text: string): unknown[] | null {
  try {
    const values: unknown = JSON.parse(text)
    const isEntry = Array.isArray(values) && values.length === HASHED.length && Number.isSafeInteger(values[1])
    return isEntry && Math.abs(values[1]) <= MOST_MS ? values : null
  } catch {
    return null
  }
}

/** The last time that a `Date` can have. */
const MOST_MS = 8.64e15

/** The export puts an apostrophe before what a spreadsheet would take for a formula. */
function says(cell: string, value: string): boolean {
  let read = 0
  for (const character of cell) {
    if (value.startsWith(character, read)) read += character.length
    else if (character !== "'") return false
  }
  return read === value.length
}

type Table = { rows: Row[]; unprovenColumns: string[]; isCutOff: boolean; hasEnd: boolean }

/** The rows of a CSV file (RFC 4180) with a header. `hasEnd`: whether its last line has an end. */
function rowsOf(csv: string): Table {
  const { lines, isCutOff } = linesOf(csv.replace(/^\ufeff/, ""))
  const [header = []] = lines
  const absent = COLUMNS.find((column) => !header.includes(column))
  if (absent !== undefined) throw new TypeError(`csv: must be an export of the audit log; it has no column ${absent}`)
  // Readers differ in which of two columns they show.
  const repeated = header.find((column, i) => header.indexOf(column) < i)
  if (repeated !== undefined) throw new TypeError(`csv: must be an export of the audit log; it has ${repeated} twice`)
  const hasEnd = csv.endsWith("\n")
  const rest = lines.slice(1)
  const uneven = rest.findIndex((cells) => cells.length !== header.length)
  const whole = uneven === -1 ? rest : rest.slice(0, uneven)
  return {
    rows: whole.map((cells) => Object.fromEntries(header.map((column, i) => [column, cells[i]])) as Row),
    unprovenColumns: header.filter((column) => !(COLUMNS as readonly string[]).includes(column)),
    isCutOff: isCutOff || uneven !== -1,
    hasEnd,
  }
}

const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y

/** The cells of each line, and whether the file ends in a quoted cell. */
function linesOf(text: string): { lines: string[][]; isCutOff: boolean } {
  const lines: string[][] = []
  let cells: string[] = []
  for (CELL.lastIndex = 0; CELL.lastIndex < text.length; ) {
    const found = CELL.exec(text)
    if (found === null) return { lines, isCutOff: true }
    const [, quoted, plain, end] = found
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    if (end === ",") continue
    lines.push(cells)
    cells = []
  }
  return { lines, isCutOff: cells.length > 0 }
}
