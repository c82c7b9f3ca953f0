import type { IncomingMessage, ServerResponse } from "node:http"
import { clock } from "#server/lib/time.ts"
import type { PageOptions } from "./pages-api.ts"

export const SECURITY_TXT = "/.well-known/security.txt"

/** How long the file is valid. RFC 9116 recommends less than a year. */
const HOLDS_DAYS = 180
const DAY_MS = 86_400_000

/**
 * Sends security.txt (RFC 9116): where to report a vulnerability of this deployment. Only if the operator has set a
 * contact, as reports to a wrong one would never be read.
 */
export function sendSecurityTxt(
  request: IncomingMessage,
  response: ServerResponse,
  { securityContact, publicOrigin }: Pick<PageOptions, "securityContact" | "publicOrigin">,
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
