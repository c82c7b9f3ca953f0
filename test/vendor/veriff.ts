import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import type { OurSession, Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, refused, startHttpDouble } from "./http-double.ts"
import { fullAuto } from "./veriff-bodies.ts"

/** Two integrations of one account. Each has its own keys and knows only its own sessions. */
const INTEGRATIONS = [
  { key: "8e4b1b5f-4a3f-4b66-9f0c-6f7f0b0f6c01", secret: "abcdef12-abcd-abcd-abcd-abcdef012345" },
  { key: "8e4b1b5f-4a3f-4b66-9f0c-6f7f0b0f6c02", secret: "fedcba98-abcd-abcd-abcd-abcdef012345" },
] as const

const opening = z.strictObject({
  verification: z.strictObject({
    callback: z.url(),
    vendorData: z.string().min(1).max(1000),
    lang: z.string().optional(),
  }),
})

type Session = {
  id: string
  vendorData: string
  key: string
  decision: object | null
  /** The decision of the Full Auto plan. Such a session has no other decision. */
  automatic: object | null
}

const codes: Partial<
  Record<Outcome, { status: string; code: number; reasonCode: string | null; reason: string | null }>
> = {
  approved: { status: "approved", code: 9001, reasonCode: null, reason: null },
  rejected: { status: "declined", code: 9102, reasonCode: "106", reason: "Known fraud" },
  withdrawn: { status: "declined", code: 9102, reasonCode: "102", reason: "Suspected document tampering" },
  resubmission_requested: {
    status: "resubmission_requested",
    code: 9103,
    reasonCode: "204",
    reason: "Poor image quality",
  },
  in_review: { status: "review", code: 9121, reasonCode: null, reason: null },
  expired: { status: "abandoned", code: 9104, reasonCode: null, reason: null },
}

export type VeriffDouble = VendorDouble & {
  /** The result of a list search, as the body of the watchlist webhook. */
  watchlist(reference: string, matchStatus: string, at?: Date): string
  /** Decides like the Full Auto plan. Returns the body of its webhook. */
  decideAutomatically(session: OurSession, decision: string, at?: Date): string
  /** Headers of a webhook of the integration for accredited investors. */
  signAsSecond(body: string): Record<string, string>
}

/**
 * Veriff (https://devdocs.veriff.com/docs/hmac-authentication-and-endpoint-security): POST signs its body; GET and
 * DELETE sign the session's id. Each uses the secret of the integration that its key names. Unknown fields are refused.
 */
export async function startVeriff(): Promise<VeriffDouble> {
  const sessions = new Map<string, Session>()
  const redacted = new Set<string>()
  const http = await startHttpDouble((asked) => answer(asked))

  function answer({ method, path, headers, body, json }: Asked): Answered {
    const integration = INTEGRATIONS.find(({ key }) => key === headers["x-auth-client"])
    if (!integration) return refused(401, "Mandatory X-AUTH-CLIENT header is wrong")
    const [, id] = /^\/v1\/sessions\/([\w-]+)(?:\/decision(?:\/fullauto\?version=1\.0\.0)?)?$/.exec(path) ?? []
    const covered = method === "POST" ? body : (id ?? "")
    const expected = createHmac("sha256", integration.secret).update(covered).digest("hex")
    const given = String(headers["x-hmac-signature"])
    if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
      return refused(401, "Invalid signature")
    if (method === "POST" && path === "/v1/sessions") {
      if (headers["content-type"] !== "application/json") return refused(415, "JSON, please")
      const parsed = opening.safeParse(json)
      if (!parsed.success) return refused(400, parsed.error.issues[0]!.message)
      const { vendorData } = parsed.data.verification
      const session = { id: randomUUID(), vendorData, key: integration.key, decision: null, automatic: null }
      sessions.set(session.id, session)
      const url = http.pageUrl(`v/${session.id}`)
      const verification = {
        id: session.id,
        url,
        vendorData,
        host: http.origin,
        status: "created",
        sessionToken: "eyJ",
      }
      return { status: 201, json: { status: "success", verification } }
    }
    const session = id === undefined ? undefined : sessions.get(id)
    if (session?.key !== integration.key) return refused(404, "Session not found")
    if (method === "GET" && path.includes("/decision/fullauto"))
      return session.automatic ? { status: 200, json: session.automatic } : refused(404, "Not found")
    if (method === "GET" && path.endsWith("/decision"))
      return { status: 200, json: { status: "success", verification: session.decision } }
    if (method !== "DELETE" || path.endsWith("/decision")) return refused(405, "Method not allowed")
    sessions.delete(session.id)
    redacted.add(session.id)
    return { status: 202, json: { status: "success", verification: { id: session.id } } }
  }

  const signWith = (secret: string, key: string, body: string) => ({
    "content-type": "application/json",
    "x-auth-client": key,
    "x-hmac-signature": createHmac("sha256", secret).update(body).digest("hex"),
  })
  const [{ key, secret: own }, second] = INTEGRATIONS

  const watchlist: VeriffDouble["watchlist"] = (reference, matchStatus, at = new Date()) =>
    JSON.stringify({
      checkType: "updated_result",
      sessionId: reference,
      attemptId: randomUUID(),
      matchStatus,
      searchDate: at.toISOString(),
      totalHits: 1,
      searchHits: [{ matchedName: "SARAH MORGAN", countries: ["GB"] }],
    })

  return {
    ...http,
    settings: {
      VOUCH_VERIFF_URL: http.origin,
      VOUCH_VERIFF_API_KEY: `${key}, accredited_investor_v1=${second.key}`,
      VOUCH_VERIFF_SECRET: `${own}, accredited_investor_v1=${second.secret}`,
    },
    wrongSettings: {
      VOUCH_VERIFF_URL: http.origin,
      VOUCH_VERIFF_API_KEY: key,
      VOUCH_VERIFF_SECRET: "another-shared-secret",
    },
    secrets: [own, second.secret],
    personal: ["SARAH", "MORGAN", "1967-03-30", "MORGA753116SM9IJ"],
    opened: ({ investorId }) => [...sessions.values()].filter(({ vendorData }) => vendorData === investorId).length,
    decide({ reference, investorId, wallet }, outcome, at = new Date()) {
      const said = codes[outcome]!
      const verification = {
        id: reference ?? wallet,
        attemptId: randomUUID(),
        vendorData: investorId,
        decisionTime: outcome === "expired" ? null : at.toISOString(),
        acceptanceTime: outcome === "expired" ? null : at.toISOString(),
        ...said,
        ...(outcome === "expired" ? {} : person),
        comments: [],
        additionalVerifiedData: {},
      }
      const session = sessions.get(verification.id)
      if (session) session.decision = verification
      return JSON.stringify({ status: "success", verification, technicalData: { ip: "192.0.2.7" } })
    },
    decideAutomatically({ reference, investorId }, decision, at = new Date()) {
      const body = fullAuto({ id: reference!, vendorData: investorId }, decision, at)
      sessions.get(reference!)!.automatic = body
      return JSON.stringify(body)
    },
    signal: ({ reference }, _signal, at) => [watchlist(reference!, "possible_match", at)],
    submit: ({ reference, investorId }) =>
      JSON.stringify({ ...stepOf(reference!, investorId), code: 7002, action: "submitted" }),
    silent({ reference, investorId }) {
      const id = reference ?? randomUUID()
      const step = stepOf(id, investorId)
      return [
        JSON.stringify({ ...step, code: 7001, action: "started" }),
        ...(reference === null ? [JSON.stringify({ ...step, code: 7002, action: "submitted" })] : []),
        JSON.stringify({ ...step, code: 7009, action: "something_new" }),
        JSON.stringify({
          checkType: "initial_result",
          sessionId: id,
          matchStatus: "no_match",
          searchHits: [],
        }),
        // The session has no decision in the API yet.
        JSON.stringify({ status: "success", verification: { id, status: "approved", code: 9001 } }),
      ]
    },
    sign: (body, { secret = own } = {}) => signWith(secret, key, body),
    signAsSecond: (body) => signWith(second.secret, second.key, body),
    redacted: (reference) => redacted.has(reference),
    watchlist,
  }
}

/** Far more than Vouch stores. */
const person = {
  person: {
    firstName: "SARAH",
    lastName: "MORGAN",
    dateOfBirth: "1967-03-30",
    gender: null,
    nationality: null,
    idNumber: null,
    addresses: [{ fullAddress: "1234 Snowy Ridge Road, Indiana, 56789 USA" }],
  },
  document: {
    type: "DRIVERS_LICENSE",
    number: "MORGA753116SM9IJ",
    country: "GB",
    validFrom: null,
    validUntil: "2032-04-20",
  },
}

const stepOf = (id: string, vendorData: string) => ({
  id,
  attemptId: randomUUID(),
  feature: "selfid",
  vendorData,
})
