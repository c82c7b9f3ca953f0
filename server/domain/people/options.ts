import { deployment } from "#domain/deployment"
import { MIN_PASSWORD } from "./auth.ts"

/** The ways to sign in that this server offers. */
export const signInOptions = () => ({
  /** Whether it can send mail. Otherwise a forgotten password needs the operator. */
  mail: deployment.settings.VOUCH_SMTP_URL !== undefined,
  min_password: MIN_PASSWORD,
})
