import { expect, test } from "vitest"
import { crc32c } from "./crc32c.ts"

// The published examples: RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
test.each([
  ["32 zeros", new Uint8Array(32), 0x8a9136aa],
  ["32 ones", new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ["0 to 31", Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ["123456789", Buffer.from("123456789"), 0xe3069283],
])("the sum of %s is the published one", (_name, bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum)
})
