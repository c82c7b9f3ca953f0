import { deployment } from "#server/domain/deployment.ts"
import { MIN_PASSWORD } from "./auth.ts"

/** Which ways to sign in this server offers. */
export const signInOptions = () => ({
  /** Whether it sends mail: else a forgotten password needs the operator. */
  mail: deployment.settings.VOUCH_SMTP_URL !== undefined,
  min_password: MIN_PASSWORD,
})
