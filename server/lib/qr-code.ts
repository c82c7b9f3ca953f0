import { encode } from "uqr"
import { type Html, html } from "./html.ts"

/** White modules around a code, without which a camera may not find it (ISO/IEC 18004). */
const QUIET = 4

/** A QR code, dark on white for all cameras, readable with 15 % damage. `label` names it for screen readers. */
export function qrCode(address: string, label: string): Html {
  const { data, size } = encode(address, { border: QUIET, ecc: "M" })
  // Adjacent modules in a row are one stroke.
  const strokes = data.flatMap((row, y) =>
    [
      ...row
        .map((dark) => (dark ? "1" : "0"))
        .join("")
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  )
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${strokes.join("")}"/></svg>`
}
