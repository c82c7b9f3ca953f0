import { encode } from "uqr"
import { expect, test } from "vitest"
import { qrCode } from "./qr-code.ts"

const ADDRESS = "https://vouch.example.com/verify/sess_4kYqT9mXhZ2vBnRcW7pLsD"

/** The picture converted back to rows of dark and light modules. */
function modulesOf(svg: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1])
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  for (const [, x, y, length] of /<path d="([^"]*)"/.exec(svg)![1]!.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    rows[Number(y)]!.fill(true, Number(x), Number(x) + Number(length))
  }
  return rows
}

test("the picture is the code of the address, with four modules of white around it", () => {
  const rows = modulesOf(qrCode(ADDRESS, "QR code").text)
  expect(rows).toEqual(encode(ADDRESS, { border: 4, ecc: "M" }).data)
  expect(rows).not.toEqual(modulesOf(qrCode(`${ADDRESS}x`, "QR code").text))
  const isLight = (row: boolean[]) => row.every((dark) => !dark)
  const columns = rows.map((_, x) => rows.map((row) => row[x]!))
  for (const side of [rows, columns]) {
    expect(side.map(isLight).slice(0, 5)).toEqual([true, true, true, true, false])
    expect(side.map(isLight).slice(-5)).toEqual([false, true, true, true, true])
  }
})

test("it has a name for screen readers, and is small", () => {
  const svg = qrCode(ADDRESS, `"><script>`).text
  expect(svg).toContain('role="img" aria-label="&quot;&gt;&lt;script&gt;"')
  expect(svg.length).toBeLessThan(6000)
})
