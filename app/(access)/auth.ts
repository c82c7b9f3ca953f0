import { passkeyClient } from "@better-auth/passkey/client"
import { createAuthClient } from "better-auth/client"
import { twoFactorClient } from "better-auth/client/plugins"
import { Refused } from "#app/components/problem.ts"

/** Signing in and out. Import it where it is used and when it is used: no other page needs it. */
export const auth = createAuthClient({ plugins: [twoFactorClient(), passkeyClient()] })

const copy: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD: "The email or the password is wrong.",
  INVALID_EMAIL: "email: This is no email address.",
  INVALID_CODE: "code: This code is wrong, expired, or was used before. Wait for the next one.",
  INVALID_BACKUP_CODE: "code: This is none of your backup codes, or it was used before.",
  INVALID_TWO_FACTOR_COOKIE: "That took too long. Start again with your password.",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "Too many wrong codes. Start again with your password.",
  ACCOUNT_TEMPORARILY_LOCKED: "Too many wrong codes. Wait a while, then start again with your password.",
  USER_NOT_VERIFIED:
    "This passkey did not ask for a fingerprint, face or PIN. Switch that on for it, or use your password.",
  PASSWORD_TOO_SHORT: "password: This password is too short.",
  PASSWORD_TOO_LONG: "password: This password is too long.",
  INVALID_PASSWORD: "current_password: This is not your password.",
  SESSION_NOT_FRESH: "This needs a sign-in of the last 24 hours. Sign out, sign in again, and come back.",
  ERROR_CEREMONY_ABORTED: "No passkey was added. Try again.",
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device has a passkey of yours already.",
  AUTH_CANCELLED: "No passkey was used. Try again, or sign in with your password.",
  PASSKEY_NOT_FOUND: "This passkey belongs to nobody here. Sign in with your password.",
}

/** Throws what an answer says went wrong, in words; nothing where all is well. */
export function throwIf(error: AuthError | null): void {
  if (error) throw new Refused(copyFor(error))
}

/** The library's, with a code of its own, or ours, whose detail is for people to read. */
type AuthError = { code?: string | undefined; status: number; detail?: string }

function copyFor({ code, status, detail }: AuthError): string {
  const known = code === undefined ? detail : copy[code]
  if (known) return known
  if (status === 429) return "Too many attempts. Wait a minute, then try again."
  if (status === 401) return "That did not work. Start again with your password."
  return "The server did not accept that. Try again in a moment."
}
