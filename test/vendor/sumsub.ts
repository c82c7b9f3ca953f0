import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { sumsub } from "#server/domain/providers/sumsub.ts"
import type { OurSession, Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, refused, startHttpDouble } from "./http-double.ts"
import type { Fault } from "./server.ts"

const APP_TOKEN = "sbx:uY0CgwELmgUAEyl4hNWxLngb.0WSeQeiYny4WEqmAALEAiK2qTC96fBad"
const SECRET_KEY = "Hej2ch71kG2kTd1iIUDZFNsO5C1lh5Gq"
const WEBHOOK_SECRET = "SoMeWeBhOoKsEcReT0123456789"
const SKEW_SECONDS = 60
const LEVELS = ["basic-kyc-level", "Accredited investors"]
/** A workflow, which begins at a level, can continue at others, and ends at the last one. */
export const WORKFLOW = { entry: "workflow-entry", between: "Questions", final: "proof-of-address" }

/** Result of a finished, positive review. */
export const green = { reviewAnswer: "GREEN" }
export const completed = (reviewResult: NonNullable<Review["reviewResult"]>) => ({
  reviewStatus: "completed",
  reviewResult,
})

/** The adapter with the settings of a double. */
export function configuredSumsub(settings: Record<string, string | undefined>) {
  const values = Object.entries(settings).map(([name, value]) => [name.replace("VOUCH_", ""), value])
  const configured = sumsub.configure(Object.fromEntries(values))
  if ("wrong" in configured) throw new Error(JSON.stringify(configured.wrong))
  return configured.provider
}

const link = z.strictObject({
  levelName: z.string(),
  userId: z.string().min(1).max(100),
  redirect: z.strictObject({ successUrl: z.url(), rejectUrl: z.url() }),
  ttlInSecs: z.number().int().min(1).max(86_400),
})

type Review = {
  levelName: string
  reviewStatus: string
  createDate: string
  startDate?: string | undefined
  reviewDate?: string | undefined
  reviewResult?:
    | undefined
    | {
        reviewAnswer: string
        reviewRejectType?: string
        rejectLabels?: string[]
        clientComment?: string
      }
}
type Applicant = { id: string; externalUserId: string; review: Review; isActive: boolean }

/** Sumsub's format for times: `2026-01-02 03:04:05+0000` in responses, with milliseconds in webhooks. */
const written = (at: Date) => `${at.toISOString().slice(0, 19).replace("T", " ")}+0000`
const writtenMs = (at: Date) => at.toISOString().slice(0, 23).replace("T", " ")

const results: Partial<Record<Outcome, NonNullable<Review["reviewResult"]>>> = {
  approved: { reviewAnswer: "GREEN" },
  rejected: {
    reviewAnswer: "RED",
    reviewRejectType: "FINAL",
    rejectLabels: ["FORGERY"],
    clientComment: "The passport of Ada Example is forged.",
  },
  withdrawn: { reviewAnswer: "RED", reviewRejectType: "FINAL", rejectLabels: ["SANCTIONS"] },
  resubmission_requested: {
    reviewAnswer: "RED",
    reviewRejectType: "RETRY",
    rejectLabels: ["UNSATISFACTORY_PHOTOS"],
  },
}

type ReviewOf = { reviewStatus: string; reviewResult?: Review["reviewResult"] }

export type SumsubDouble = VendorDouble & {
  /** Makes responses faulty after this many good ones. */
  misbehave(as: Fault | null, after?: number): void
  /** The number of applicants with this id. */
  applicants(userId: string): number
  /** The body of any webhook about a person. */
  webhook(type: string, about: { userId: string; levelName?: string; at?: Date } & Record<string, unknown>): string
  /** Deactivates an applicant. */
  deactivate(userId: string): void
  moveToLevel(userId: string, levelName: string): void
  /** Reviews an applicant at a level. Returns the body of a webhook of the given type. */
  review(type: string, about: { userId: string; levelName: string; at?: Date } & ReviewOf): string
  /** The level of the last link for a person. */
  linkedLevel(userId: string): string | undefined
  levelOf(schemaId: string): string
}

/**
 * Sumsub (https://docs.sumsub.com/reference/authentication): computes the signature over the URI and the received
 * bytes, refuses unknown fields and levels, and has one applicant for each external id.
 */
export async function startSumsub({ algorithm = "HMAC_SHA256_HEX" } = {}): Promise<SumsubDouble> {
  const applicants = new Map<string, Applicant>()
  const links = new Map<string, number>()
  const linked = new Map<string, string>()
  let count = 0

  const http = await startHttpDouble((asked) => problemOf(asked) ?? answer(asked))

  function answer({ method, path, json }: Asked): Answered {
    const [uri, query] = path.split("?")
    if (method === "POST" && uri === "/resources/sdkIntegrations/levels/-/websdkLink") {
      if (query !== undefined && !/^lang=[a-z]{2}$/.test(query)) return refused(400, "unknown parameter")
      const parsed = link.safeParse(json)
      if (!parsed.success) return refused(400, parsed.error.issues[0]!.message)
      const { userId, levelName } = parsed.data
      if (![...LEVELS, ...Object.values(WORKFLOW)].includes(levelName))
        return refused(404, `Level ${levelName} not found`)
      links.set(userId, (links.get(userId) ?? 0) + 1)
      linked.set(userId, levelName)
      return { status: 200, json: { url: http.pageUrl(`idensic/l/#/${userId}/${++count}`) } }
    }
    const [, userId] = /^\/resources\/applicants\/-;externalUserId=([\w%-]+)\/one$/.exec(uri!) ?? []
    if (method === "GET" && userId !== undefined) {
      const found = applicants.get(decodeURIComponent(userId))
      return found ? { status: 200, json: shown(found) } : refused(404, "Applicant not found")
    }
    const [, checked] = /^\/resources\/applicants\/-\/byExternalUserId\/([\w-]+)$/.exec(uri!) ?? []
    if (method === "GET" && checked !== undefined) return { status: 200, json: { exists: applicants.has(checked) } }
    const [, reset] = /^\/resources\/applicants\/(\w+)\/reset$/.exec(uri!) ?? []
    if (method === "POST" && reset !== undefined) {
      const found = [...applicants.values()].find(({ id }) => id === reset)
      if (!found) return refused(404, "Applicant not found")
      if (["pending", "queued", "prechecked"].includes(found.review.reviewStatus))
        return refused(409, "The applicant is being checked")
      const { levelName, createDate } = found.review
      found.review = { levelName, createDate, reviewStatus: "init" }
      return { status: 200, json: { ok: 1 } }
    }
    return refused(404, "no such address")
  }

  function applicantOf(userId: string, levelName: string, at: Date): Applicant {
    const made = applicants.get(userId) ?? {
      id: createHash("md5").update(userId).digest("hex").slice(0, 24),
      externalUserId: userId,
      review: { levelName, reviewStatus: "init", createDate: written(at) },
      isActive: true,
    }
    applicants.set(userId, made)
    return made
  }

  const levelOf = (schemaId: string) =>
    ({ accredited_investor_v1: LEVELS[1]!, kyc_business_v1: WORKFLOW.entry })[schemaId] ?? LEVELS[0]!

  const webhook: SumsubDouble["webhook"] = (type, { userId, at = new Date(), ...more }) =>
    JSON.stringify({
      applicantId: applicants.get(userId)?.id ?? "5cb744200a975a67ed1798a4",
      inspectionId: "5cb744200a975a67ed1798a5",
      correlationId: `req-${++count}`,
      externalUserId: userId,
      type,
      applicantType: "individual",
      sandboxMode: true,
      createdAtMs: writtenMs(at),
      clientId: "example.com",
      ...more,
    })

  return {
    ...http,
    settings: {
      VOUCH_SUMSUB_URL: http.origin,
      VOUCH_SUMSUB_APP_TOKEN: APP_TOKEN,
      VOUCH_SUMSUB_SECRET_KEY: SECRET_KEY,
      VOUCH_SUMSUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
      VOUCH_SUMSUB_WEBHOOK_ALGORITHM: algorithm,
      VOUCH_SUMSUB_LEVELS: `${LEVELS[0]}, accredited_investor_v1=${LEVELS[1]}, kyc_business_v1=${WORKFLOW.entry}`,
      VOUCH_SUMSUB_FINAL_LEVELS: `${WORKFLOW.entry}=${WORKFLOW.final}`,
      VOUCH_SUMSUB_ACCREDITED_LEVELS: LEVELS[1]!,
    },
    wrongSettings: {
      VOUCH_SUMSUB_URL: http.origin,
      VOUCH_SUMSUB_APP_TOKEN: APP_TOKEN,
      VOUCH_SUMSUB_SECRET_KEY: "another-secret-key",
      VOUCH_SUMSUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
      VOUCH_SUMSUB_LEVELS: LEVELS[0]!,
    },
    secrets: [APP_TOKEN, SECRET_KEY, WEBHOOK_SECRET, "idensic/l"],
    personal: ["Ada", "Example", "1990-12-10", "C01X00T47"],
    opened: ({ investorId }) => (links.has(investorId) ? 1 : 0),
    applicants: (userId) => [...applicants.values()].filter((one) => one.externalUserId === userId).length,
    decide({ investorId, schemaId }: OurSession, outcome, at = new Date()) {
      const levelName = levelOf(schemaId)
      const one = applicantOf(investorId, levelName, at)
      const result = results[outcome]
      if (result === undefined && outcome !== "in_review") throw new Error(`Sumsub has no result for ${outcome}`)
      const createDate = written(at)
      one.review = result
        ? { levelName, createDate, reviewDate: written(at), reviewStatus: "completed", reviewResult: result }
        : { levelName, createDate, reviewStatus: "onHold" }
      return webhook(result ? "applicantReviewed" : "applicantOnHold", {
        userId: investorId,
        levelName,
        at,
        reviewStatus: one.review.reviewStatus,
        ...(result && { reviewResult: { ...result, clientComment: undefined } }),
      })
    },
    signal({ investorId, schemaId }, signal, at = new Date()) {
      const about = { userId: investorId, levelName: levelOf(schemaId), at }
      switch (signal) {
        case "watchlist_match":
          return [webhook("amlCaseRejected", about)]
        case "case_opened":
          applicants.get(investorId)!.review.reviewStatus = "onHold"
          return [webhook("amlCaseOnHold", about), webhook("applicantOnHold", about)]
        case "person_deactivated":
          return [webhook("applicantDeactivated", about), webhook("applicantDeleted", about)]
        case "data_deleted":
          return [webhook("applicantPersonalDataDeleted", about)]
      }
    },
    silent({ investorId, schemaId }) {
      const about = { userId: investorId, levelName: levelOf(schemaId) }
      const green = { reviewStatus: "completed", reviewResult: { reviewAnswer: "GREEN" } }
      return [
        webhook("applicantCreated", { ...about, reviewStatus: "init" }),
        webhook("applicantPending", { ...about, reviewStatus: "pending" }),
        webhook("applicantPrechecked", { ...about, reviewStatus: "queued" }),
        webhook("applicantTagsChanged", { ...about, applicantTags: ["vip"] }),
        webhook("applicantActionReviewed", { ...about, ...green }),
        webhook("applicantReviewed", { ...about, ...green, testMode: true }),
        webhook("applicantReviewed", { ...about, ...green, externalUserId: undefined }),
        webhook("applicantReviewed", { ...about, ...green, levelName: "another level" }),
        webhook("amlCaseApproved", { ...about, ...green }),
        webhook("somethingNewOfNextYear", about),
      ]
    },
    sign(body, { secret = WEBHOOK_SECRET } = {}) {
      const name = algorithm === "HMAC_SHA512_HEX" ? "sha512" : "sha256"
      return {
        "content-type": "application/json",
        "x-payload-digest": createHmac(name, secret).update(body).digest("hex"),
        "x-payload-digest-alg": algorithm,
      }
    },
    redacted: () => false,
    webhook,
    deactivate(userId) {
      applicants.get(userId)!.isActive = false
    },
    moveToLevel(userId, levelName) {
      const one = applicants.get(userId)!
      one.review = { levelName, reviewStatus: "init", createDate: written(new Date()) }
    },
    review(type, { userId, levelName, at = new Date(), reviewStatus, reviewResult }) {
      const one = applicantOf(userId, levelName, at)
      const createDate = one.review.createDate
      const startDate = reviewStatus === "init" ? undefined : written(at)
      const reviewDate = reviewStatus === "completed" ? written(at) : undefined
      one.review = { levelName, createDate, startDate, reviewDate, reviewStatus, reviewResult }
      return webhook(type, { userId, levelName, at, reviewStatus, reviewResult })
    },
    linkedLevel: (userId) => linked.get(userId),
    levelOf,
  }
}

/** The applicant with everything that Sumsub knows, which is far more than Vouch stores. */
const shown = ({ id, externalUserId, review, isActive }: Applicant) => ({
  id,
  createdAt: review.createDate,
  key: "WBFHTKYHGUTOLX",
  clientId: "example.com",
  inspectionId: "5cb744200a975a67ed1798a5",
  externalUserId,
  deleted: !isActive,
  info: {
    firstName: "Ada",
    lastName: "Example",
    dob: "1990-12-10",
    country: "DEU",
    idDocs: [{ idDocType: "PASSPORT", country: "DEU", number: "C01X00T47", firstName: "Ada", dob: "1990-12-10" }],
  },
  review: { reviewId: "SaxUq", attemptId: "yzkGE", attemptCnt: 1, priority: 0, ...review },
  type: "individual",
})

function problemOf({ method, path, headers, body }: Asked): Answered | null {
  const { "x-app-token": token, "x-app-access-ts": ts, "x-app-access-sig": signature } = headers
  if (token !== APP_TOKEN) return refused(401, "App token not found")
  if (typeof ts !== "string" || !/^\d{10}$/.test(ts)) return refused(401, "Timestamp is missing")
  if (Math.abs(Date.now() / 1000 - Number(ts)) > SKEW_SECONDS) return refused(401, "Request timestamp is too old")
  const expected = createHmac("sha256", SECRET_KEY).update(`${ts}${method}${path}`).update(body).digest("hex")
  const isSigned =
    typeof signature === "string" &&
    signature.length === expected.length &&
    timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  if (!isSigned) return refused(401, "Request signature mismatch")
  // This includes a POST without a body (https://docs.sumsub.com/reference/change-required-document-set-per-level).
  if (method === "POST" && headers["content-type"] !== "application/json") return refused(415, "JSON, please")
  return null
}
