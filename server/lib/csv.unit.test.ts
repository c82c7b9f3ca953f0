import fc from "fast-check"
import { expect, test } from "vitest"
import { toCell } from "./csv.ts"

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\tx", "'\tx"],
  ["\rx", '"\'\rx"'],
  // A spreadsheet that separates by semicolons reads a second cell here.
  ["a;=1", "a;'=1"],
  ["a; =1", "a;' =1"],
  ["a|=1", "a|'=1"],
  ["a\t=1", "a\t'=1"],
  ["a,=1", '"a,\'=1"'],
  ["a\n=1", '"a\n\'=1"'],
  ['"=1', '"""\'=1"'],
  // Full-width, and behind invisible characters.
  ["\uff1d1", "'\uff1d1"],
  ["\uff0b1", "'\uff0b1"],
  ["\uff0d1", "'\uff0d1"],
  ["\uff20x", "'\uff20x"],
  ["  =1", "'  =1"],
  ["\ufeff=1", "'\ufeff=1"],
  ["\u200b=1", "'\u200b=1"],
  ["a;\u00a0\u200d=1", "a;'\u00a0\u200d=1"],
])("%j does not become a formula", (value, cell) => {
  expect(toCell(value)).toBe(cell)
})

test.each(["", "1+1", "a-b", "x@example.com", "2026-01-02T03:04:05Z", "a = b", "O'Neill; Jane"])(
  "%j stays unchanged",
  (value) => {
    expect(toCell(value)).toBe(value)
  },
)

test("no value is lost, and no part of a cell begins a formula", () => {
  const piece = fc.constantFrom(
    ...[
      "=",
      "+",
      "-",
      "@",
      "\uff1d",
      "\uff20",
      ";",
      ",",
      '"',
      "|",
      "\t",
      "\r",
      "\n",
      " ",
      "\ufeff",
      "\u200b",
      "\u3164",
      "a",
      "1",
    ],
  )
  fc.assert(
    fc.property(fc.string({ unit: piece, maxLength: 12 }), (value) => {
      const cell = toCell(value)
      for (const part of cell.split(/[;,|"\t\r\n]/)) {
        const seen = part.replace(/[\s\u200b\ufeff\u3164]/g, "").normalize("NFKC")
        expect(seen).not.toMatch(/^[=+\-@]/)
      }
      const text = /[",\r\n]/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell
      expect(text.replaceAll("'", "")).toBe(value)
    }),
    { numRuns: 2000 },
  )
})
