import { passkeyClient } from "@better-auth/passkey/client"
import { createAuthClient } from "better-auth/client"
import { twoFactorClient } from "better-auth/client/plugins"
import { Refused } from "#app/components/problem.ts"

/** Signing in and out. Call it by `withAuth`. */
export const auth = createAuthClient({ plugins: [twoFactorClient(), passkeyClient()] })

const copy: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD: "Wrong email or password.",
  INVALID_EMAIL: "email: Enter a valid email address.",
  INVALID_CODE: "code: This code is wrong, expired or already used. Wait for the next one.",
  INVALID_BACKUP_CODE: "code: This backup code is wrong or already used.",
  INVALID_TWO_FACTOR_COOKIE: "Sign-in timed out. Start again with your password.",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "Too many wrong codes. Start again with your password.",
  ACCOUNT_TEMPORARILY_LOCKED: "Too many wrong codes. Wait a few minutes, then start again with your password.",
  USER_NOT_VERIFIED: "This passkey must ask for a fingerprint, face or PIN. Turn that on for it, or use your password.",
  PASSWORD_TOO_SHORT: "password: Choose a longer password.",
  PASSWORD_TOO_LONG: "password: Choose a shorter password.",
  INVALID_PASSWORD: "current_password: Wrong password.",
  SESSION_NOT_FRESH: "Sign out and sign in again first: your last sign-in must be less than 24 hours old.",
  ERROR_CEREMONY_ABORTED: "No passkey was added. Try again.",
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device already has a passkey for your account.",
  AUTH_CANCELLED: "No passkey was used. Try again, or sign in with your password.",
  PASSKEY_NOT_FOUND: "This passkey is not registered here. Sign in with your password.",
}

/** Throws the error of a response in words people can read. Does nothing if the response succeeded. */
export function throwIf(error: AuthError | null): void {
  if (error) throw new Refused(copyFor(error))
}

/** The sign-in library's error, with its own code, or our error, whose detail is written for people. */
export type AuthError = { code?: string | undefined; status: number; detail?: string }

function copyFor({ code, status, detail }: AuthError): string {
  const known = code === undefined ? detail : copy[code]
  if (known) return known
  if (status === 429) return "Too many attempts. Wait a minute, then try again."
  if (status === 401) return "Sign-in failed. Start again with your password."
  return "The request failed. Try again in a moment."
}
