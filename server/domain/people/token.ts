import { hash, randomBytes } from "node:crypto"

/** A secret for a link: 32 random bytes, base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url")

/** The stored hash, so that a copy of the database cannot open links. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer")
