import { Webhook } from "standardwebhooks"
import { z } from "zod"
import type { Decision } from "#shared/statuses.ts"
import { EVENT_TYPE } from "#shared/webhook-event.ts"
import { defineProvider } from "./provider.ts"
import { isSignedByStandard, standardSecrets } from "./signatures.ts"
import { readVouchEvent, type WebhookEvent } from "./vouch-event.ts"

const reasons: Partial<Record<Decision, string>> = {
  rejected: "The sandbox was asked to reject this verification.",
  resubmission_requested: "The sandbox was asked to request another submission.",
  expired: "The sandbox was asked to let this verification expire.",
}

/**
 * The built-in provider. Its form on the hosted page lets investors decide their own case, and reports with a signed
 * webhook like a vendor's. Anyone with the secret can decide its sessions.
 */
export const sandbox = defineProvider({
  name: "sandbox",
  label: "Built-in sandbox",
  testOnly: {
    notice: "Sandbox provider: it verifies no one. Anyone who opens a session’s link chooses its result.",
  },
  setup: () => [],
  settings: z.object({ WEBHOOK_SECRET: standardSecrets }),
  create: ({ WEBHOOK_SECRET: secrets }) => ({
    flow: {
      kind: "form",
      report({ eventId, sessionId, decision, claims, publicReason, occurredAt }, sentAt) {
        const event: WebhookEvent = {
          type: EVENT_TYPE,
          data: {
            session_id: sessionId,
            decision,
            occurred_at: occurredAt.toISOString(),
            claims,
            reason: reasons[decision],
            ...(publicReason && { public_reason: publicReason }),
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
    readEvent: readVouchEvent,
    refusesUnread: true,
  }),
})
