import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** Whether a header is the hex HMAC of these exact bytes under any of the secrets. */
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
    if (secret !== "" && timingSafeEqual(given, createHmac(algorithm, secret).update(body).digest())) held = true
  }
  return held
}

/** Identifies repeats of a webhook whose vendor gives it no id. */
export const digestOf = (body: Buffer): string => createHash("sha256").update(body).digest("hex")
