import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/**
 * Whether a header is the HMAC of these very bytes, in hex, by any one of the secrets. Its form is looked at first, so that
 * both sides of the comparison are as long; each is compared in constant time.
 */
export function isHexHmac(
  header: string | string[] | undefined,
  body: Buffer | string,
  { secrets, algorithm = "sha256" }: { secrets: readonly string[]; algorithm?: "sha256" | "sha512" },
): boolean {
  const digits = algorithm === "sha256" ? 64 : 128
  if (typeof header !== "string" || header.length !== digits || !/^[0-9a-fA-F]+$/.test(header)) return false
  const given = Buffer.from(header, "hex")
  let held = false
  for (const secret of secrets) {
    if (secret !== "" && timingSafeEqual(given, createHmac(algorithm, secret).update(body).digest()))
      held = true
  }
  return held
}

/** By which a repeat of a webhook is recognised, where its vendor gives it no id. */
export const digestOf = (body: Buffer): string => createHash("sha256").update(body).digest("hex")
