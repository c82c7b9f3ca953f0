import { hash, randomBytes } from "node:crypto"
import canonicalize from "canonicalize"

/** What an attestation's memo commits to. Times are in the API's format. */
export type Committed = {
  attestation_id: string
  schema: string
  user_pubkey: string
  issued_at: string
  expires_at: string
  salt: string
}

/** 32 random bytes, base64url. Without them, the commitment could be guessed from public facts. */
export const newSalt = (): string => randomBytes(32).toString("base64url")

/** base64url of SHA-256 of the canonical JSON (RFC 8785) of the record. Anyone who has the record can recompute it. */
export const commitmentOf = (committed: Committed): string =>
  hash("sha256", canonicalize(committed) as string, "base64url")
