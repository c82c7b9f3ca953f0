import { createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { defineProvider, type VendorSession } from "#server/domain/kyc/providers/provider.ts"
import { callVendor } from "#server/domain/kyc/providers/vendor-call.ts"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { isPublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"

const LABEL = "Example ID"
const TOLERANCE_SECONDS = 300

const decisionOf: Record<string, Decision> = {
  passed: "approved",
  failed: "rejected",
  more_needed: "resubmission_requested",
}

const page = z.object({ id: z.string(), url: z.string(), expires_at: z.iso.datetime(), once: z.boolean() })

const sessionOf = ({ id, url, expires_at, once }: z.infer<typeof page>): VendorSession => ({
  reference: id,
  url,
  usableUntil: new Date(expires_at),
  singleUse: once,
})

const event = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  type: z.string(),
  check: z.object({ reference: z.string(), status: z.string(), country: z.string().optional() }),
})

/** A provider as any other, for the double of a company that verifies on its own page (`server.ts`). */
export const exampleId = defineProvider({
  name: "exampleid",
  label: LABEL,
  testOnly: null,
  settings: z.object({
    EXAMPLEID_URL: z.url(),
    EXAMPLEID_API_KEY: z.string({ error: "must be the key of the dashboard" }).min(8),
    EXAMPLEID_SECRET: z.string(),
    EXAMPLEID_DEADLINE_MS: z.coerce.number().default(10_000),
  }),
  connect: ({ EXAMPLEID_URL, EXAMPLEID_API_KEY, EXAMPLEID_SECRET, EXAMPLEID_DEADLINE_MS }) => {
    const ask = async (path: string, body: object, headers: Record<string, string> = {}) =>
      sessionOf(
        await callVendor({
          label: LABEL,
          method: "POST",
          url: `${EXAMPLEID_URL}${path}`,
          headers: {
            authorization: `Bearer ${EXAMPLEID_API_KEY}`,
            "content-type": "application/json",
            ...headers,
          },
          body: JSON.stringify(body),
          answer: page,
          deadline_ms: EXAMPLEID_DEADLINE_MS,
        }),
      )
    return {
      opening: {
        kind: "redirect",
        createSession: ({ sessionId, schemaId, returnUrl }) =>
          ask(
            "/checks",
            { reference: sessionId, level: schemaId, return_url: returnUrl },
            { "idempotency-key": sessionId },
          ),
        resumeSession: (_session, reference) => ask(`/checks/${reference}/links`, {}),
      },
      isSigned(headers, body) {
        const [, at, mac] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(headers["example-signature"])) ?? []
        if (at === undefined || mac === undefined) return false
        if (Math.abs(clock.now().getTime() / 1000 - Number(at)) > TOLERANCE_SECONDS) return false
        const expected = createHmac("sha256", EXAMPLEID_SECRET).update(`${at}.`).update(body).digest()
        return timingSafeEqual(expected, Buffer.from(mac, "hex"))
      },
      async readEvent(_headers, body) {
        const parsed = event.safeParse(plainJson(readJsonObject(body)))
        if (!parsed.success) return fail("validation_failed", "The webhook is not one of Example ID.")
        const { id, type, created_at, check } = parsed.data
        const decision = decisionOf[check.status]
        if (type !== "check.finished" || decision === undefined) return null
        return {
          eventId: id,
          sessionId: check.reference,
          decision,
          occurredAt: new Date(created_at),
          claims: { country: check.country },
          reason: null,
          publicReason: isPublicReason(check.status) ? check.status : null,
        }
      },
    }
  },
})
