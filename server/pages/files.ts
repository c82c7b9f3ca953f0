import type { IncomingMessage, ServerResponse } from "node:http"
import { findLogo } from "#domain/accounts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

export const SECURITY_TXT = "/.well-known/security.txt"

/** How long the file is valid. RFC 9116 recommends less than a year. */
const HOLDS_DAYS = 180
const DAY_MS = 86_400_000

/** Sends security.txt (RFC 9116): where to report a vulnerability, if the operator has set a contact. */
export function sendSecurityTxt(
  request: IncomingMessage,
  response: ServerResponse,
  { securityContact, publicOrigin }: { securityContact: string | null; publicOrigin: string | null },
): void {
  const lines = securityContact && [
    `Contact: ${securityContact}`,
    // Rounded to a day, so that the file is the same all day.
    `Expires: ${new Date((Math.floor(clock.now().getTime() / DAY_MS) + HOLDS_DAYS) * DAY_MS).toISOString()}`,
    "Preferred-Languages: en",
    ...(publicOrigin ? [`Canonical: ${publicOrigin}${SECURITY_TXT}`] : []),
  ]
  const body = lines ? `${lines.join("\n")}\n` : "This server names no contact.\n"
  response.writeHead(lines ? 200 : 404, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": lines ? "public, max-age=86400" : "no-store",
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

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
