import { createHmac } from "node:crypto"
import { z } from "zod"
import { addDays, clock, secondsBetween } from "#server/lib/time.ts"
import { defineProvider, type SessionToVerify, SUBMITTED } from "./provider.ts"
import { isHexHmac } from "./signatures.ts"
import { changes, readEvent, readReference, referenceOf, SIGNALS } from "./sumsub-event.ts"
import {
  type Applicant,
  applicant,
  decisionOf,
  entryOf,
  finalLevels,
  LEVEL,
  type Levels,
  type Question,
  wrongFinals,
} from "./sumsub-level.ts"
import { linkTo } from "./vendor-answers.ts"
import { vendorApi } from "./vendor-api.ts"
import { listOf, perSchema, vendorSecret, vendorSecrets, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Sumsub"
const LINK_SECONDS = 1800
/** Another wallet cannot use an approval whose validity ends sooner than this: the person is checked again. */
const LEAST_DAYS_LEFT = 30

const levels = { what: "a level's name", pattern: LEVEL }

/** https://docs.sumsub.com/reference/authentication and https://docs.sumsub.com/docs/webhook-manager */
export const sumsub = defineProvider({
  name: "sumsub",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Dev space > Webhooks > Create webhook > Target", enter: webhook },
    { where: "… > Webhook types", enter: [...changes, ...SIGNALS].join(", ") },
    {
      where: "… > Signature algorithm",
      enter: "SHA256. For SHA512, also set VOUCH_SUMSUB_WEBHOOK_ALGORITHM=HMAC_SHA512_HEX",
    },
  ],
  settings: z
    .object({
      SUMSUB_URL: vendorUrl.default("https://api.sumsub.com"),
      SUMSUB_APP_TOKEN: vendorSecret(),
      SUMSUB_SECRET_KEY: vendorSecret(),
      SUMSUB_WEBHOOK_SECRET: vendorSecrets(),
      // The header that names the algorithm is not signed, so an attacker could choose it.
      SUMSUB_WEBHOOK_ALGORITHM: z
        .enum(["HMAC_SHA256_HEX", "HMAC_SHA512_HEX"], { error: "must be HMAC_SHA256_HEX or HMAC_SHA512_HEX" })
        .default("HMAC_SHA256_HEX"),
      SUMSUB_LEVELS: perSchema(levels),
      SUMSUB_FINAL_LEVELS: finalLevels.default(new Map()),
      SUMSUB_ACCREDITED_LEVELS: listOf(levels).default([]),
    })
    .superRefine(({ SUMSUB_LEVELS, SUMSUB_FINAL_LEVELS }, context) => {
      const message = wrongFinals(SUMSUB_LEVELS, SUMSUB_FINAL_LEVELS)
      if (message !== null) context.addIssue({ code: "custom", path: ["SUMSUB_FINAL_LEVELS"], message })
    }),
  create: (settings) => {
    const levels: Levels = { entries: settings.SUMSUB_LEVELS.all, finals: settings.SUMSUB_FINAL_LEVELS }

    const api = vendorApi({
      label: LABEL,
      origin: settings.SUMSUB_URL,
      headers({ method, url, body = "" }) {
        const { pathname, search } = new URL(url)
        const seconds = String(Math.floor(clock.now().getTime() / 1000))
        // Sumsub signs the path and query as sent, including their encoding.
        const covered = `${seconds}${method}${pathname}${search}${body}`
        return {
          // Sumsub refuses a POST without this header, even if it has no body.
          ...(method === "POST" && { "content-type": "application/json" }),
          "x-app-token": settings.SUMSUB_APP_TOKEN,
          "x-app-access-ts": seconds,
          "x-app-access-sig": createHmac("sha256", settings.SUMSUB_SECRET_KEY).update(covered).digest("hex"),
        }
      },
    })

    async function find(userId: string): Promise<Applicant | null> {
      const path = `/resources/applicants/-;externalUserId=${encodeURIComponent(userId)}/one`
      const found = await api.find({ path, answer: applicant })
      if (found !== null) api.requireAbout(userId, found.externalUserId)
      return found
    }

    async function linkFor(
      { userId, entry, level }: { userId: string; entry: string; level: string },
      { returnUrl, language }: SessionToVerify,
    ) {
      const asked = clock.now()
      const { url } = await api.call({
        method: "POST",
        path: `/resources/sdkIntegrations/levels/-/websdkLink${language === null ? "" : `?lang=${language}`}`,
        body: {
          levelName: level,
          userId,
          redirect: { successUrl: returnUrl, rejectUrl: returnUrl },
          ttlInSecs: LINK_SECONDS,
        },
        answer: z.object({ url: z.string() }),
      })
      return linkTo(referenceOf(userId, entry), url, { seconds: LINK_SECONDS, asked })
    }

    const accredited = settings.SUMSUB_ACCREDITED_LEVELS
    const decisionFor = (found: Applicant, about: Pick<Question, "entry" | "lastDecision" | "isFinal">) =>
      decisionOf(found, { ...about, levels, accredited })

    /** The level for the link. Sumsub moves the applicant to it, so in a workflow it must be the current level. */
    function levelToOpen(found: Applicant | null, entry: string): string {
      const level = found?.review?.levelName
      return level !== undefined && entryOf(levels, level) === entry ? level : entry
    }

    const [environment] = settings.SUMSUB_APP_TOKEN.split(":")
    return {
      ...(environment === "sbx" && { credentials: "test" }),
      ...(environment === "prd" && { credentials: "live" }),
      flow: {
        kind: "redirect",
        async createSession(session) {
          const entry = settings.SUMSUB_LEVELS.of(session.schemaId)
          const found = await find(session.investorId)
          const answer = found && decisionFor(found, { entry, lastDecision: null, isFinal: false })
          const before = answer === SUBMITTED ? null : answer
          const isOld =
            before?.decision === "approved" && !isFresh(before.occurredAt ?? clock.now(), session.validityDays)
          // The documents are too old, so have Sumsub request new ones.
          if (found && isOld)
            await api.call({ method: "POST", path: `/resources/applicants/${found.id}/reset`, answer: z.unknown() })
          const level = isOld ? entry : levelToOpen(found, entry)
          return {
            ...(await linkFor({ userId: session.investorId, entry, level }, session)),
            isDecided: !isOld && (before?.decision === "approved" || before?.decision === "rejected"),
          }
        },
        async resumeSession(session, reference) {
          const { userId, entry } = readReference(reference)
          return linkFor({ userId, entry, level: levelToOpen(await find(userId), entry) }, session)
        },
        async readDecision({ lastDecision }, reference, { isFinal } = { isFinal: false }) {
          const { userId, entry } = readReference(reference)
          const found = await find(userId)
          return found && decisionFor(found, { entry, lastDecision, isFinal })
        },
        // Sumsub's API can only deactivate people. Their data can be deleted only in its dashboard.
        redact: null,
        async probe() {
          const path = "/resources/applicants/-/byExternalUserId/vouch-probe"
          await api.call({ path, answer: z.object({ exists: z.boolean() }) })
        },
      },
      isSigned: ({ "x-payload-digest": digest }, body) =>
        isHexHmac(digest, body, {
          secrets: settings.SUMSUB_WEBHOOK_SECRET,
          algorithm: settings.SUMSUB_WEBHOOK_ALGORITHM === "HMAC_SHA512_HEX" ? "sha512" : "sha256",
        }),
      readEvent: (_headers, body) => readEvent(body, levels),
    }
  },
})

/** Whether an approval has a month of its validity left, or half of a short one. */
const isFresh = (approvedAt: Date, validityDays: number): boolean =>
  secondsBetween(clock.now(), addDays(approvedAt, validityDays)) / 86_400 > Math.min(LEAST_DAYS_LEFT, validityDays / 2)
