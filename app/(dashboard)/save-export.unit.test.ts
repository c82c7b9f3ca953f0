import fc from "fast-check"
import { expect, test } from "vitest"
import { RowCounter } from "./save-export.ts"

/** As in RFC 4180. */
const toCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

test("each row counts once, for any cells and any chunks", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('"', "\r\n", 'a "b"\nc', ",", ""))
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1 })), fc.nat({ max: 40 }), (rows, size) => {
      const text = [["name"], ...rows].map((cells) => `${cells.map(toCell).join(",")}\r\n`).join("")
      const bytes = new TextEncoder().encode(`\ufeff${text}`)
      const counter = new RowCounter()
      for (let at = 0; at < bytes.length; at += size + 1) counter.add(bytes.slice(at, at + size + 1))
      expect(counter.rows).toBe(rows.length)
    }),
  )
})

test("there are no rows before the header has arrived", () => {
  expect(new RowCounter().rows).toBe(0)
})
