import { deployment } from "#server/domain/deployment.ts"
import { MIN_PASSWORD } from "./auth.ts"

/** What this server offers to whoever wants to come in. */
export const signInOptions = () => ({
  /** Whether it sends mail: else a forgotten password needs the operator. */
  mail: deployment.settings.VOUCH_SMTP_URL !== undefined,
  min_password: MIN_PASSWORD,
})
