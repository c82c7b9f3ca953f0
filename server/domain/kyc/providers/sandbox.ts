import { Webhook } from "standardwebhooks"
import { z } from "zod"
import type { Decision } from "#shared/statuses.ts"
import { EVENT_TYPE } from "#shared/webhook-event.ts"
import { defineProvider } from "./provider.ts"
import {
  isSignedByStandard,
  readStandardEvent,
  standardSecrets,
  type WebhookEvent,
} from "./standard-webhooks.ts"

const reasons: Partial<Record<Decision, string>> = {
  rejected: "The sandbox was told to reject this verification.",
  resubmission_requested: "The sandbox was told to ask for another submission.",
  expired: "The sandbox was told to let this verification expire.",
}

/**
 * The built-in provider: its form on the hosted page lets anybody decide their own case, and reports by the same signed
 * webhook that a vendor would use. Whoever holds the secret may decide its sessions.
 */
export const sandbox = defineProvider({
  name: "sandbox",
  label: "Built-in sandbox",
  testOnly: {
    heading: "This is a sandbox",
    text: "No documents are checked here. You choose the result.",
    notice: "Sandbox provider. Test only: whoever opens the link chooses the result.",
  },
  settings: z.object({ WEBHOOK_SECRET: standardSecrets }),
  connect: ({ WEBHOOK_SECRET: secrets }) => ({
    opening: {
      kind: "form",
      report({ eventId, sessionId, decision, claims, occurredAt }, sentAt) {
        const event: WebhookEvent = {
          type: EVENT_TYPE,
          data: {
            session_id: sessionId,
            decision,
            occurred_at: occurredAt.toISOString(),
            claims,
            reason: reasons[decision],
          },
        }
        const body = JSON.stringify(event)
        const headers = {
          "webhook-id": eventId,
          "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
          "webhook-signature": new Webhook(secrets[0]!).sign(eventId, sentAt, body),
        }
        return { headers, body }
      },
    },
    isSigned: (headers, body) => isSignedByStandard(secrets, headers, body),
    readEvent: async (headers, body) => readStandardEvent(headers, body),
  }),
})
