import { createHmac } from "node:crypto"
import { z } from "zod"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { addDays, addSeconds, clock, secondsBetween } from "#server/lib/time.ts"
import { parse } from "#server/lib/validation.ts"
import { vendorTime as time } from "./event-time.ts"
import { digestOf, isHexHmac } from "./hex-signature.ts"
import {
  defineProvider,
  type ProviderEvent,
  type ReadDecision,
  type SessionToVerify,
  type Signal,
} from "./provider.ts"
import { publicReasons } from "./sumsub-labels.ts"
import { callVendor, findAtVendor, requireAbout, type VendorCall, vendorId } from "./vendor-call.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { listOf, perSchema, vendorSecret, vendorSecrets, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Sumsub"
/** How long an address of its page may be opened. */
const LINK_SECONDS = 1800
/** An approval whose validity ends sooner than this is not taken up by another wallet: the person is checked anew. */
const LEAST_DAYS_LEFT = 30

/** Level names of Sumsub may have spaces, but no commas. */
const LEVEL = /^[^,=\s\p{Cc}](?:[^,=\p{Cc}]{0,98}[^,=\s\p{Cc}])?$/u
const levels = { what: "a level's name", pattern: LEVEL }

/** What is read of an applicant; all else stays at Sumsub. */
const applicant = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  externalUserId: z.string().optional(),
  /** Deactivated: as if it had never been. */
  deleted: z.boolean().optional(),
  info: z
    .object({
      country: z.string().optional(),
      dob: z.string().optional(),
      idDocs: z.array(z.object({ country: z.string().optional() })).optional(),
    })
    .optional(),
  review: z
    .object({
      levelName: z.string().optional(),
      reviewStatus: z.string().optional(),
      createDate: time.optional(),
      reviewDate: time.optional(),
      reviewResult: z
        .object({
          reviewAnswer: z.string().optional(),
          reviewRejectType: z.string().optional(),
          rejectLabels: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
})
type Applicant = z.infer<typeof applicant>
type Review = NonNullable<Applicant["review"]>

/** Everything has been submitted; Sumsub is at work, or one of its people or yours is. */
const atWork = new Set(["pending", "queued", "prechecked", "onHold"])

/** What it reports; personal data is never in it. */
const event = z.object({
  // It is the reason of what it leads to.
  type: vendorId,
  externalUserId: vendorId.optional(),
  levelName: z.string().regex(LEVEL).optional(),
  createdAtMs: time.optional(),
  createdAt: time.optional(),
  testMode: z.boolean().optional(),
})

/** After these the applicant is looked at. */
const changes = new Set([
  "applicantReviewed",
  "applicantPending",
  "applicantOnHold",
  "applicantWorkflowCompleted",
])

/** Later signals that are worth a subscription. */
const SIGNALS = [
  "applicantDeactivated",
  "applicantDeleted",
  "applicantPersonalDataDeleted",
  "amlCaseRejected",
  "amlCaseOnHold",
]

function signalOf(type: string): Signal | null {
  if (type === "applicantDeactivated" || type === "applicantDeleted") return "person_deactivated"
  if (type === "applicantPersonalDataDeleted") return "data_deleted"
  if (type === "amlCaseRejected") return "watchlist_match"
  return type.startsWith("amlCase") && type !== "amlCaseApproved" ? "case_opened" : null
}

/**
 * Sumsub keeps people, not sessions: its applicant is our investor, at one level at a time. The reference is both, so
 * that what it finds out is about all sessions of that person at that level.
 */
const referenceOf = (userId: string, level: string): string => `${userId} ${level}`

function readReference(reference: string): { userId: string; level: string } {
  const at = reference.indexOf(" ")
  return { userId: reference.slice(0, at), level: reference.slice(at + 1) }
}

/** https://docs.sumsub.com/reference/authentication and https://docs.sumsub.com/docs/webhook-manager */
export const sumsub = defineProvider({
  name: "sumsub",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Dev space > Webhooks > Create webhook > Target", enter: webhook },
    {
      where: "… > Webhook types",
      enter: [...changes, ...SIGNALS].join(", "),
    },
    {
      where: "… > Signature algorithm",
      enter: "SHA256; for SHA512, set VOUCH_SUMSUB_WEBHOOK_ALGORITHM=HMAC_SHA512_HEX",
    },
  ],
  settings: z.object({
    SUMSUB_URL: vendorUrl.default("https://api.sumsub.com"),
    SUMSUB_APP_TOKEN: vendorSecret(),
    SUMSUB_SECRET_KEY: vendorSecret(),
    SUMSUB_WEBHOOK_SECRET: vendorSecrets(),
    // The header that names the algorithm is not signed: whoever forges one chooses it.
    SUMSUB_WEBHOOK_ALGORITHM: z
      .enum(["HMAC_SHA256_HEX", "HMAC_SHA512_HEX"], { error: "must be HMAC_SHA256_HEX or HMAC_SHA512_HEX" })
      .default("HMAC_SHA256_HEX"),
    SUMSUB_LEVELS: perSchema(levels),
    SUMSUB_ACCREDITED_LEVELS: listOf(levels).default([]),
  }),
  create: (settings) => {
    /** A call, signed as Sumsub wants it. */
    function signed<Answer extends z.ZodType>({
      method,
      path,
      body,
      answer,
    }: {
      method: "GET" | "POST"
      path: string
      body?: object
      answer: Answer
    }): VendorCall<Answer> {
      const url = new URL(path, settings.SUMSUB_URL)
      const text = body === undefined ? "" : JSON.stringify(body)
      const seconds = String(Math.floor(clock.now().getTime() / 1000))
      // As it goes over the wire: what is encoded there is signed encoded.
      const covered = `${seconds}${method}${url.pathname}${url.search}${text}`
      return {
        label: LABEL,
        method,
        url: url.href,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          "x-app-token": settings.SUMSUB_APP_TOKEN,
          "x-app-access-ts": seconds,
          "x-app-access-sig": createHmac("sha256", settings.SUMSUB_SECRET_KEY).update(covered).digest("hex"),
        },
        ...(body === undefined ? {} : { body: text }),
        answer,
      }
    }

    async function find(userId: string): Promise<Applicant | null> {
      const path = `/resources/applicants/-;externalUserId=${encodeURIComponent(userId)}/one`
      const found = await findAtVendor(signed({ method: "GET", path, answer: applicant }))
      if (found !== null) requireAbout(LABEL, userId, found.externalUserId)
      return found
    }

    async function linkFor(userId: string, level: string, { returnUrl, language }: SessionToVerify) {
      const asked = clock.now()
      const { url } = await callVendor(
        signed({
          method: "POST",
          path: `/resources/sdkIntegrations/levels/-/websdkLink${language === null ? "" : `?lang=${language}`}`,
          body: {
            levelName: level,
            userId,
            redirect: { successUrl: returnUrl, rejectUrl: returnUrl },
            ttlInSecs: LINK_SECONDS,
          },
          answer: z.object({ url: z.string() }),
        }),
      )
      return {
        reference: referenceOf(userId, level),
        url,
        usableUntil: addSeconds(asked, LINK_SECONDS),
        singleUse: false,
      }
    }

    function decisionOf({ deleted, info, review }: Applicant, level: string): ReadDecision | null {
      if (deleted === true || review?.levelName !== level) return null
      if (atWork.has(review.reviewStatus ?? ""))
        return {
          decision: "in_review",
          occurredAt: review.createDate ?? null,
          claims: {},
          reason: null,
          publicReason: null,
        }
      const verdict = verdictOf(review)
      if (verdict === null || review.reviewDate === undefined) return null
      if (verdict !== "approved") {
        const labels = (review.reviewResult?.rejectLabels ?? []).filter((label) => /^\w{1,60}$/.test(label))
        const [told] = labels.flatMap((label) => publicReasons[label] ?? [])
        return {
          decision: verdict,
          occurredAt: review.reviewDate,
          claims: {},
          reason: labels.slice(0, 10).join(", ") || null,
          publicReason: told ?? null,
        }
      }
      const isAccredited = settings.SUMSUB_ACCREDITED_LEVELS.includes(level)
      return {
        decision: "approved",
        occurredAt: review.reviewDate,
        claims: {
          ...countryFrom(info?.country, info?.idDocs?.[0]?.country),
          age_over_18: isOver18(info?.dob, clock.now()),
          accredited: isAccredited || undefined,
        },
        reason: null,
        publicReason: null,
      }
    }

    const [environment] = settings.SUMSUB_APP_TOKEN.split(":")
    return {
      ...(environment === "sbx" && { credentials: "test" }),
      ...(environment === "prd" && { credentials: "live" }),
      flow: {
        kind: "redirect",
        async createSession(session) {
          const level = settings.SUMSUB_LEVELS.of(session.schemaId)
          const found = await find(session.investorId)
          const before = found && decisionOf(found, level)
          const isOld =
            before?.decision === "approved" &&
            !isFresh(before.occurredAt ?? clock.now(), session.validityDays)
          // Documents of long ago attest nothing any more: Sumsub asks for others.
          if (found && isOld)
            await callVendor(
              signed({
                method: "POST",
                path: `/resources/applicants/${found.id}/reset`,
                answer: z.unknown(),
              }),
            )
          return {
            ...(await linkFor(session.investorId, level, session)),
            isDecided: !isOld && (before?.decision === "approved" || before?.decision === "rejected"),
          }
        },
        resumeSession(session, reference) {
          const { userId, level } = readReference(reference)
          return linkFor(userId, level, session)
        },
        async readDecision(_session, reference) {
          const { userId, level } = readReference(reference)
          const found = await find(userId)
          return found && decisionOf(found, level)
        },
        // Its API deactivates people; what it keeps of them is deleted in its dashboard alone.
        redact: null,
        async probe() {
          await callVendor(
            signed({
              method: "GET",
              path: "/resources/applicants/-/byExternalUserId/vouch-probe",
              answer: z.object({ exists: z.boolean() }),
            }),
          )
        },
      },
      isSigned: ({ "x-payload-digest": digest }, body) =>
        isHexHmac(digest, body, {
          secrets: settings.SUMSUB_WEBHOOK_SECRET,
          algorithm: settings.SUMSUB_WEBHOOK_ALGORITHM === "HMAC_SHA512_HEX" ? "sha512" : "sha256",
        }),
      readEvent(_headers, body): ProviderEvent | null {
        const { type, externalUserId, levelName, createdAtMs, createdAt, testMode } = parse(
          event,
          plainJson(readJsonObject(body)),
        )
        // Its dashboard sends samples by a button.
        if (testMode === true || externalUserId === undefined) return null
        const eventId = digestOf(body)
        const occurredAt = createdAtMs ?? createdAt
        if (changes.has(type)) {
          if (levelName === undefined) return null
          // Monitoring that finds something puts an approved applicant on hold. Others of its own work pass by themselves.
          const held =
            type === "applicantOnHold" && occurredAt
              ? { occurredAt, afterApproval: "case_opened" as const }
              : {}
          return {
            eventId,
            about: { reference: referenceOf(externalUserId, levelName) },
            says: { kind: "changed", ...held },
          }
        }
        const signal = signalOf(type)
        if (signal === null || occurredAt === undefined) return null
        const names = new Set([
          ...settings.SUMSUB_LEVELS.all,
          ...(levelName === undefined ? [] : [levelName]),
        ])
        const references = [...names].map((level) => referenceOf(externalUserId, level))
        return { eventId, about: { references }, says: { kind: "signal", signal, occurredAt, reason: type } }
      },
    }
  },
})

function verdictOf({
  reviewStatus,
  reviewResult,
}: Review): "approved" | "rejected" | "resubmission_requested" | null {
  if (reviewStatus !== "completed") return null
  if (reviewResult?.reviewAnswer === "GREEN") return "approved"
  if (reviewResult?.reviewAnswer !== "RED") return null
  return reviewResult.reviewRejectType === "RETRY" ? "resubmission_requested" : "rejected"
}

/** Whether an approval has a month of its validity left, or half of a short one. */
const isFresh = (approvedAt: Date, validityDays: number): boolean =>
  secondsBetween(clock.now(), addDays(approvedAt, validityDays)) / 86_400 >
  Math.min(LEAST_DAYS_LEFT, validityDays / 2)
