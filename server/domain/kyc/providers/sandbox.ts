import type { Provider } from "./provider.ts"
import { verifyStandardWebhook } from "./standard-webhooks.ts"

/**
 * The built-in provider: its form at /verify/{session_id} lets anybody decide their own case, and reports by
 * the same signed webhook that a vendor would use. It is also the generic one: whoever holds the secret may
 * decide sessions.
 */
export const sandboxProvider = (secrets: readonly string[]): Provider => ({
  name: "sandbox",
  createSession: async () => ({ kind: "sandbox_form" }),
  verifyWebhook: (headers, body) => verifyStandardWebhook(secrets, headers, body),
})
