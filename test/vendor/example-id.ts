import { createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { defineProvider, type ProviderDecision, type VendorSession } from "#server/domain/providers/provider.ts"
import { vendorApi } from "#server/domain/providers/vendor-api.ts"
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

const result = z.object({
  status: z.string(),
  decided_at: z.iso.datetime().nullable(),
  country: z.string().optional(),
})

function decided(
  { status, country }: { status: string; country?: string | undefined },
  at: string,
): ProviderDecision | null {
  const decision = decisionOf[status]
  if (decision === undefined) return null
  return {
    decision,
    occurredAt: new Date(at),
    claims: { country },
    reason: null,
    publicReason: isPublicReason(status) ? status : null,
  }
}

/** The provider for the double of a company that verifies on its own page (`server.ts`). */
export const exampleId = defineProvider({
  name: "exampleid",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [{ where: "Settings > Webhooks > URL", enter: webhook }],
  settings: z.object({
    EXAMPLEID_URL: z.url(),
    EXAMPLEID_API_KEY: z.string({ error: "must be the key of the dashboard" }).min(8),
    EXAMPLEID_SECRET: z.string(),
    EXAMPLEID_DEADLINE_MS: z.coerce.number().default(10_000),
  }),
  create: ({ EXAMPLEID_URL, EXAMPLEID_API_KEY, EXAMPLEID_SECRET, EXAMPLEID_DEADLINE_MS }) => {
    const api = vendorApi({
      label: LABEL,
      origin: EXAMPLEID_URL,
      headers: { authorization: `Bearer ${EXAMPLEID_API_KEY}` },
      deadline_ms: EXAMPLEID_DEADLINE_MS,
    })
    const ask = async (path: string, body: object, headers: Record<string, string> = {}) =>
      sessionOf(await api.call({ method: "POST", path, body, headers, answer: page }))
    return {
      flow: {
        kind: "redirect",
        createSession: ({ sessionId, schemaId, returnUrl, language }) =>
          ask(
            "/checks",
            {
              ...{ reference: sessionId, level: schemaId, return_url: returnUrl },
              ...(language !== null && { language }),
            },
            { "idempotency-key": sessionId },
          ),
        resumeSession: (_session, reference) => ask(`/checks/${reference}/links`, {}),
        async readDecision(_session, reference) {
          const check = await api.call({ path: `/checks/${reference}`, answer: result })
          return check.decided_at === null ? null : decided(check, check.decided_at)
        },
        async redact(reference) {
          const answer = z.object({ redacted: z.literal(true) })
          await api.call({ method: "POST", path: `/checks/${reference}/redact`, body: {}, answer })
        },
        async probe() {
          await api.call({ path: "/account", answer: z.object({ name: z.string() }) })
        },
      },
      isSigned(headers, body) {
        const [, at, mac] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(headers["example-signature"])) ?? []
        if (at === undefined || mac === undefined) return false
        if (Math.abs(clock.now().getTime() / 1000 - Number(at)) > TOLERANCE_SECONDS) return false
        const expected = createHmac("sha256", EXAMPLEID_SECRET).update(`${at}.`).update(body).digest()
        return timingSafeEqual(expected, Buffer.from(mac, "hex"))
      },
      readEvent(_headers, body) {
        const parsed = event.safeParse(plainJson(readJsonObject(body)))
        if (!parsed.success) return fail("validation_failed", "The webhook is not one of Example ID.")
        const { id, type, created_at, check } = parsed.data
        const about = { sessionId: check.reference }
        if (type === "check.changed") return { eventId: id, about, says: { kind: "changed" } }
        const decision = decided(check, created_at)
        if (type !== "check.finished" || decision === null) return null
        return { eventId: id, about, says: { kind: "decision", ...decision } }
      },
    }
  },
})
