import type { ServerResponse } from "node:http"
import type { z } from "zod"
import { writeText } from "./parts.ts"
import { parse } from "./validation.ts"

/** Marks the file as UTF-8 for spreadsheets. */
const BYTE_ORDER_MARK = "\ufeff"

type CsvFile<Row, Column extends string> = {
  filename: string
  /** The number of rows, approximate if rows are added or deleted during the download. Null if unknown. */
  rows: number | null
  /** In order. */
  columns: readonly Column[]
  /** The cells of a row. */
  toLine: (row: Row) => Record<Column, string | null>
  /** Throws if the caller may no longer read the rows. The file then ends early, and its download fails. */
  requireAccess: () => Promise<unknown>
  /** The next batch of rows after `last`, empty at the end. */
  readAfter: (last: Row | null) => Promise<readonly Row[]>
}

/**
 * Answers with a CSV file (RFC 4180) at the client's speed, so that memory does not grow with the number of rows. The first
 * rows are read before the first byte is sent, so that a failure still gives an error response. A slow client may take an
 * hour, so the permission is checked again before each batch.
 */
export async function sendCsv<Row, Column extends string>(
  response: ServerResponse,
  { filename, rows: total, columns, toLine, requireAccess, readAfter }: CsvFile<Row, Column>,
): Promise<void> {
  let rows = await readAfter(null)
  response.writeHead(200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${filename}"`,
    "Cache-Control": "no-store",
    ...(total !== null && { "Vouch-Rows": String(total) }),
  })
  await writeText(response, BYTE_ORDER_MARK + line(columns))
  while (rows.length > 0 && !response.destroyed) {
    const lines = rows.map(toLine).map((cells) => line(columns.map((column) => cells[column])))
    await writeText(response, lines.join(""))
    await requireAccess()
    rows = await readAfter(rows.at(-1)!)
  }
  response.end()
}

/** Reads the query of a download, without the workspace. Errors: validation_failed. */
export function readQuery<Shape extends z.ZodRawShape>(
  filter: z.ZodObject<Shape>,
  query: URLSearchParams,
): z.infer<z.ZodObject<Shape>> {
  const given = Object.fromEntries([...query].filter(([name, value]) => name !== "workspace" && value !== ""))
  return parse(filter.strict(), given, "query")
}

const line = (cells: readonly (string | null)[]): string => `${cells.map(toCell).join(",")}\r\n`

// The start of a formula: a sign of any width, after white space and invisible characters.
const FORMULA = String.raw`[\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212]`
const AT_START = new RegExp(String.raw`^(?:${FORMULA}|[\t\r])`, "u")
// Characters that end a cell in spreadsheets of some locales, which read "a;=1" as two cells.
const INSIDE = new RegExp(String.raw`[;,|"\t\r\n](?=${FORMULA})`, "gu")

/** A cell that no spreadsheet takes for a formula: one that looks like it gets a quote (OWASP, CSV injection). */
export function toCell(value: string | null): string {
  if (value === null) return ""
  const text = (AT_START.test(value) ? "'" : "") + value.replace(INSIDE, "$&'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
