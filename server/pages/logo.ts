import type { ServerResponse } from "node:http"
import { findLogo } from "#domain/accounts"
import { fail } from "#shared/errors.ts"

/** The path of logos. A logo's name is the hash of its bytes. */
export const LOGOS = "/logo/"

/** Sends a logo. A customer uploaded it, so the headers keep browsers from treating it as anything but an image. */
export async function sendLogo(
  { method, url }: { method: string; url: string },
  response: ServerResponse,
): Promise<void> {
  const [, hash] = /^\/logo\/([0-9a-f]{64})$/.exec(url) ?? []
  const logo = hash === undefined ? null : await findLogo(Buffer.from(hash, "hex"))
  if (logo === null) return fail("route_not_found", "No logo at this address.")
  response.writeHead(200, {
    "Content-Type": logo.type,
    "Content-Length": logo.bytes.length,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    // A changed logo has a new address.
    "Cache-Control": "public, max-age=31536000, immutable",
  })
  response.end(method === "HEAD" ? undefined : logo.bytes)
}
