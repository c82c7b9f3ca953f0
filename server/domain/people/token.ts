import { hash, randomBytes } from "node:crypto"

/** A secret for a link: 32 random bytes, base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url")

/** What is stored of it: a copy of the database opens no link. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer")
