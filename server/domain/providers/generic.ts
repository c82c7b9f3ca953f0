import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { z } from "zod"
import { nameText } from "#server/lib/text.ts"
import { clock } from "#server/lib/time.ts"
import { defineProvider, type SessionToVerify, type VendorSession } from "./provider.ts"
import { isSignedByStandard, standardSecrets } from "./signatures.ts"
import { vendorApi, vendorId } from "./vendor-api.ts"
import { isSafeUrl, vendorSecret } from "./vendor-settings.ts"
import { decisionFields, readVouchDecision, readVouchEvent } from "./vouch-event.ts"

const LABEL = "Your KYC provider"

/** The bridge may use any path and query. */
const bridgeUrl = z.string().refine(isSafeUrl, "must be an https address without credentials")

const opened = z.object({
  reference: vendorId,
  url: z.string(),
  usable_until: z.iso.datetime({ offset: true }),
  single_use: z.boolean().default(false),
})

const asked = decisionFields.or(z.object({ decision: z.null() }))

/**
 * Any vendor, through the customer's bridge: Vouch calls its one address, and the bridge sends events in Vouch's format
 * (docs/providers/generic.md). Both sides sign with the same secrets, using Standard Webhooks.
 */
export const generic = defineProvider({
  name: "generic",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Your bridge: the address to send events to", enter: webhook },
    { where: "Your bridge: the shared secret", enter: "the value of VOUCH_GENERIC_SECRET" },
  ],
  settings: z.object({
    GENERIC_URL: bridgeUrl,
    GENERIC_SECRET: standardSecrets,
    GENERIC_TOKEN: vendorSecret(16).optional(),
    GENERIC_LABEL: nameText(60).default(LABEL),
  }),
  create: ({ GENERIC_URL: url, GENERIC_SECRET: secrets, GENERIC_TOKEN: token, GENERIC_LABEL: label }) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const api = vendorApi({ label, origin: url, headers })
    /** `id` is the same for the same request. The bridge recognises a repeat by it, or by the session. */
    const request = <Answer extends z.ZodType>(
      type: string,
      data: object,
      answer: Answer,
      id: string = randomUUID(),
    ) => {
      const now = clock.now()
      const body = JSON.stringify({ type, data })
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": new Webhook(secrets[0]!).sign(id, now, body),
      }
      return { method: "POST", path: "", headers, body, answer } as const
    }
    const call = <Answer extends z.ZodType>(...asked: Parameters<typeof request<Answer>>) =>
      api.call(request<Answer>(...asked))
    return {
      label,
      flow: {
        kind: "redirect",
        createSession: async (session) =>
          sessionOf(await call("session.create", fieldsOf(session), opened, session.sessionId)),
        resumeSession: async (session, reference) =>
          sessionOf(await call("session.resume", { ...fieldsOf(session), reference }, opened)),
        async readDecision({ sessionId }, reference) {
          const answer = await call("session.read", { session_id: sessionId, reference }, asked)
          return answer.decision === null ? null : readVouchDecision(answer)
        },
        async redact(reference) {
          await api.find(request("session.redact", { reference }, z.unknown()))
        },
        async probe() {
          await call("ping", {}, z.object({}))
        },
      },
      isSigned: (headers, body) => isSignedByStandard(secrets, headers, body),
      readEvent: readVouchEvent,
      refusesUnread: true,
    }
  },
})

const fieldsOf = ({ sessionId, investorId, schemaId, wallet, returnUrl, language }: SessionToVerify) => ({
  session_id: sessionId,
  investor_id: investorId,
  schema: schemaId,
  wallet,
  return_url: returnUrl,
  language,
})

const sessionOf = ({ reference, url, usable_until, single_use }: z.infer<typeof opened>): VendorSession => ({
  reference,
  url,
  usableUntil: new Date(usable_until),
  singleUse: single_use,
})
