import { z } from "zod"
import { isSafeUrl } from "#domain/providers"

const ADDRESS = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+$/

/** Where the hosted page sends the investor at the end: https, or http on loopback; no credentials. */
export const redirectUrl = z
  .string()
  .max(2000)
  .refine(
    (text) => ADDRESS.test(text) && isSafeUrl(text),
    "must be an https address (http only for loopback) without credentials",
  )
  .meta({
    format: "uri",
    pattern: ADDRESS.source,
    description: "Where the hosted page sends the investor afterwards, with attestation_id and status appended",
    example: "https://example.com/welcome",
  })
