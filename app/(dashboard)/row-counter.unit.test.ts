import fc from "fast-check"
import { expect, test } from "vitest"
import { RowCounter } from "./row-counter.ts"

/** As RFC 4180 has it. */
const toCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

test("whatever is in the cells, and wherever the file is cut on its way, each row counts once", () => {
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

test("before the header has come there are no rows", () => {
  expect(new RowCounter().rows).toBe(0)
})
