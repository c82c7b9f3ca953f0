import type { IncomingMessage, ServerResponse } from "node:http"
import { clock } from "#server/lib/time.ts"
import type { PageOptions } from "./pages-api.ts"

export const SECURITY_TXT = "/.well-known/security.txt"

/** A reader trusts it for so long: RFC 9116 advises less than a year. */
const HOLDS_DAYS = 180
const DAY_MS = 86_400_000

/**
 * Where whoever found a weakness of this deployment writes to (RFC 9116). The operator's own contact, or none: with a
 * wrong one, somebody would wait for an answer that never comes.
 */
export function sendSecurityTxt(
  request: IncomingMessage,
  response: ServerResponse,
  { securityContact, publicOrigin }: Pick<PageOptions, "securityContact" | "publicOrigin">,
): void {
  const lines = securityContact && [
    `Contact: ${securityContact}`,
    // By whole days, so that one day's answers are the same.
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
