import { randomBytes } from "node:crypto"
import bs58 from "bs58"
import { expect, test } from "vitest"
import { SignatureSet } from "./signature-set.ts"

test("the set has exactly what was added, including what is added later", () => {
  const signatures = Array.from({ length: 5000 }, () => bs58.encode(randomBytes(64)))
  const set = new SignatureSet()
  expect(set.has(signatures[0]!)).toBe(false)
  for (const signature of signatures.slice(0, 3000)) set.add(signature)
  expect(signatures.filter((signature) => set.has(signature))).toEqual(signatures.slice(0, 3000))
  for (const signature of signatures.slice(3000, 4000)) set.add(signature)
  expect(signatures.filter((signature) => set.has(signature))).toEqual(signatures.slice(0, 4000))
})
