import { fail } from "#shared/errors.ts"

/** Bounds of a logo's sides, in pixels. Once decoded, a large image fills a phone's memory, however small its file. */
const SIDE_PX = { least: 16, most: 2000 }

type Size = { width: number; height: number }

/** A format, recognised by its first bytes, and the place of the image's size in it; null if it has none. */
const formats = [
  {
    type: "image/png",
    begins: (bytes: Buffer) => bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex")),
    // The first chunk of a PNG is its header (ISO/IEC 15948, 5.6).
    size: (bytes: Buffer): Size | null =>
      bytes.length >= 24 && bytes.toString("latin1", 12, 16) === "IHDR"
        ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
        : null,
  },
  {
    type: "image/jpeg",
    begins: (bytes: Buffer) => bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex")),
    size: jpegSize,
  },
  {
    type: "image/webp",
    begins: (bytes: Buffer) => bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
    size: webpSize,
  },
] as const

export type LogoType = (typeof formats)[number]["type"]

/** The type of an image by its first bytes; null for anything but a PNG, a JPEG or a WebP. */
export const logoTypeOf = (bytes: Buffer): LogoType | null =>
  formats.find((format) => format.begins(bytes))?.type ?? null

/** Reads a logo by its bytes, whatever type the upload claims. Errors: validation_failed. */
export function readLogo(bytes: Buffer): Size {
  const format = formats.find((format) => format.begins(bytes))
  if (!format) return fail("validation_failed", "logo: must be a PNG, JPEG or WebP image.")
  const size = format.size(bytes)
  if (size === null) return fail("validation_failed", "logo: the image file is damaged. Export it again.")
  const isFit = (side: number) => side >= SIDE_PX.least && side <= SIDE_PX.most
  if (isFit(size.width) && isFit(size.height)) return size
  return fail(
    "validation_failed",
    `logo: is ${size.width} × ${size.height} pixels. Each side must be between ${SIDE_PX.least} and ${SIDE_PX.most}.`,
  )
}

/** The size is in the frame header (ITU-T T.81, B.2.2), after any number of other segments. */
function jpegSize(bytes: Buffer): Size | null {
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes[at + 1]!
    if (bytes[at] !== 0xff) return null
    // A fill byte before a marker.
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2) return null
    at += 2 + length
  }
  return null
}

/** Lossy, lossless or extended, by the first chunk (https://developers.google.com/speed/webp/docs/riff_container). */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
