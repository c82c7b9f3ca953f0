import fc from "fast-check"
import { expect, test } from "vitest"
import { logoTypeOf, readLogo } from "./logo-image.ts"

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ""), "hex")

/** The first bytes of 320 × 200 images, as encoders write them. */
const images = {
  png: hex("89504e470d0a1a0a 0000000d 49484452 00000140 000000c8 08060000 00"),
  jpeg: hex(
    "ffd8 ffe0 0010 4a46494600010100000100010000 ffdb 0004 0000 ffff c0 0011 08 00c8 0140 03 012200 021101 031101",
  ),
  progressive: hex("ffd8 ffe1 0006 45786966 ffc2 0011 08 00c8 0140 03 012200 021101 031101"),
  lossy: hex("52494646 24000000 57454250 56503820 18000000 300100 9d012a 4001 c800 0000"),
  lossless: hex("52494646 24000000 57454250 5650384c 18000000 2f 3fc13100 0000000000"),
  extended: hex("52494646 24000000 57454250 56503858 0a000000 10000000 3f0100 c70000"),
}

test.each(Object.entries(images))("the size of a %s is read from its header", (_name, image) => {
  expect(readLogo(image)).toEqual({ width: 320, height: 200 })
})

test("the first bytes determine the type", () => {
  expect(Object.values(images).map(logoTypeOf)).toEqual([
    "image/png",
    ...["image/jpeg", "image/jpeg"],
    ...["image/webp", "image/webp", "image/webp"],
  ])
  expect(logoTypeOf(Buffer.from("GIF89a"))).toBeNull()
})

test.each(Object.entries(images))(
  "a %s that is cut off at any byte is refused, and never throws anything else",
  (_name, image) => {
    for (let length = 0; length < image.length; length++) {
      try {
        expect(readLogo(image.subarray(0, length))).toEqual({ width: 320, height: 200 })
      } catch (error) {
        expect(error).toMatchObject({ code: "validation_failed" })
      }
    }
  },
)

test("whatever follows the first bytes, the result is a size or a refusal", () => {
  const begins = fc.constantFrom(...Object.values(images).map((image) => image.subarray(0, 16)))
  fc.assert(
    fc.property(begins, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      try {
        const { width, height } = readLogo(Buffer.concat([start, rest]))
        for (const side of [width, height]) expect(side >= 16 && side <= 2000).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ code: "validation_failed" })
      }
    }),
    { numRuns: 3000 },
  )
})
