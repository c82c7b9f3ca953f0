import { z } from "zod"

const ADDRESS = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+$/
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Where the hosted page sends the investor at the end: https, or http on loopback; no credentials. */
export const redirectUrl = z
  .string()
  .max(2000)
  .refine(isRedirectUrl, "must be an https address (http only for loopback) without credentials")
  .meta({
    format: "uri",
    pattern: ADDRESS.source,
    description: "Where the hosted page sends the investor afterwards, with attestation_id and status appended",
    example: "https://example.com/welcome",
  })

function isRedirectUrl(text: string): boolean {
  if (!ADDRESS.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  return username === "" && password === "" && (protocol === "https:" || LOOPBACK.has(hostname))
}
