/** Aligns rows as text; columns of numbers are flush right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const isNumber = head.map((_, column) => rows.every((row) => /^([0-9].*|–?)$/.test(row[column]!)))
  return lines
    .map((line) =>
      line
        .map((cell, n) => (isNumber[n] ? cell.padStart(widths[n]!) : cell.padEnd(widths[n]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
