import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import bs58 from "bs58"
import { expect, onTestFinished, test, vi } from "vitest"
import { isId, newId } from "./ids.ts"

test("an id is its prefix and the base58 form of 16 random bytes, as bs58 has it", () => {
  // The pool holds 256 ids: drawing more makes it fill again, with bytes that this test knows.
  const drawn: Buffer[] = []
  const fill = vi.spyOn(crypto, "randomFillSync").mockImplementation((pool) => {
    const bytes = pool as Uint8Array
    for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7919 + drawn.length) % 256
    bytes.fill(0, 0, 16) // all zeros
    bytes.fill(0, 16, 20) // leading zeros
    bytes.fill(255, 32, 48) // all ones
    drawn.push(Buffer.from(bytes))
    return pool
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    fill.mockRestore()
    syncBuiltinESMExports()
  })
  const ids = Array.from({ length: 3 * 256 }, () => newId("req"))
  expect(drawn.length).toBeGreaterThan(1)
  const at = ids.indexOf(`req_${"1".repeat(16)}`)
  expect(at).toBeGreaterThanOrEqual(0)
  for (let i = 0; i < 256; i++) {
    expect(ids[at + i]).toBe(`req_${bs58.encode(drawn[0]!.subarray(i * 16, i * 16 + 16))}`)
  }
})

test("an id is recognised only with its prefix", () => {
  for (const prefix of ["acct", "ws", "key", "sess", "att", "op", "req", "evt"] as const) {
    const id = newId(prefix)
    expect(id).toMatch(new RegExp(`^${prefix}_[1-9A-HJ-NP-Za-km-z]{16,22}$`))
    expect(isId(prefix, id)).toBe(true)
    expect(isId(prefix === "att" ? "sess" : "att", id)).toBe(false)
  }
})

test("text in another format is not an id", () => {
  const wrong = ["", "att_", "att_short", `att_${"1".repeat(23)}`, `att_${"0".repeat(22)}`, "att_x\u0000"]
  for (const text of wrong) expect(isId("att", text)).toBe(false)
})
