import { createHash } from "node:crypto"
import { z } from "zod"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Decision } from "#shared/statuses.ts"
import {
  defineProvider,
  type ProviderDecision,
  type ProviderEvent,
  type SessionToVerify,
  SUBMITTED,
  type VendorSession,
} from "./provider.ts"
import { digestOf, isHexHmac } from "./signatures.ts"
import { decide, readBody } from "./vendor-answers.ts"
import { vendorApi } from "./vendor-api.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorSecret, vendorSecrets, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Onfido"
/** As long as our session stays open before the vendor's first event. */
const LINK_SECONDS = 86_400

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const id = z.string().regex(/^[\w-]{1,100}$/)
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

const decisions: Record<string, Decision> = {
  approved: "approved",
  declined: "rejected",
  review: "in_review",
  abandoned: "expired",
  // Onfido had a problem with the run, so the investor starts another one.
  error: "resubmission_requested",
}
/** The investor has something left to do in a run. */
const open = new Set(["awaiting_input", "awaiting_client_input"])

const languages: Record<string, string> = Object.fromEntries(
  ["de_DE", "en_US", "es_ES", "fr_FR", "it_IT", "nl_NL", "pt_PT"].map((locale) => [locale.slice(0, 2), locale]),
)

const TASK_STARTED = "workflow_task.started"

const facts = z.object({
  country: z.string().nullish().catch(null),
  issuing_country: z.string().nullish().catch(null),
  date_of_birth: z.string().nullish().catch(null),
  accredited: z.boolean().nullish().catch(null),
})

/** What we read of a run. Everything else stays with Onfido. */
const run = z.object({
  id,
  applicant_id: id,
  workflow_id: z.string(),
  status: z.string(),
  updated_at: time,
  tags: z.array(z.string()).nullish(),
  reasons: z.array(z.string()).nullish().catch(null),
  link: z.object({ url: z.string().nullish(), expires_at: z.string().nullish() }).nullish(),
  // The workflow's author chooses the output: an object, a list, or nothing.
  output: facts
    .extend({ properties: facts.nullish().catch(null) })
    .nullish()
    .catch(null),
})
type Run = z.infer<typeof run>

const event = z.object({
  payload: z.object({
    action: z.string(),
    object: z.object({ id, completed_at_iso8601: time.nullish().catch(null) }),
    resource: z
      .object({ workflow_run_id: id.nullish().catch(null) })
      .nullish()
      .catch(null),
  }),
})

/** https://documentation.onfido.com/api/latest and https://documentation.onfido.com/guide/webhooks */
export const onfido = defineProvider({
  name: "onfido",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Settings > Developers > Webhooks > Create webhook > URL", enter: webhook },
    { where: "… > Events", enter: `workflow_run.completed, ${TASK_STARTED}, watchlist_monitor.matches_updated` },
    { where: "… > Environments", enter: "only the environment of your API token" },
  ],
  settings: z.object({
    ONFIDO_REGION: z.enum(["eu", "us", "ca"], { error: "must be eu, us or ca" }),
    ONFIDO_URL: vendorUrl.optional(),
    ONFIDO_API_TOKEN: vendorSecret(),
    ONFIDO_WEBHOOK_TOKEN: vendorSecrets(),
    ONFIDO_WORKFLOWS: perSchema({ what: "a workflow's id", pattern: UUID }),
  }),
  create: ({ ONFIDO_REGION, ONFIDO_URL, ONFIDO_API_TOKEN, ONFIDO_WEBHOOK_TOKEN, ONFIDO_WORKFLOWS: workflows }) => {
    const api = vendorApi({
      label: LABEL,
      origin: `${ONFIDO_URL ?? `https://api.${ONFIDO_REGION}.onfido.com`}/v3.6`,
      headers: { authorization: `Token token=${ONFIDO_API_TOKEN}` },
    })

    async function findRun(reference: string): Promise<Run | null> {
      const found = await api.find({ path: `/workflow_runs/${encodeURIComponent(reference)}`, answer: run })
      if (found !== null) api.requireAbout(reference, found.id)
      return found
    }

    /** The person's runs: only those with its tag, even if the answer contains others. */
    async function runsOf(investorId: string): Promise<Run[]> {
      const path = `/workflow_runs?tags=${encodeURIComponent(investorId)}`
      const found = await api.call({ path, answer: z.array(run) })
      return found.filter(({ tags }) => tags?.includes(investorId))
    }

    async function startRun(session: SessionToVerify, applicantId: string): Promise<VendorSession> {
      const { sessionId, investorId, schemaId, returnUrl, language } = session
      const body = {
        workflow_id: workflows.of(schemaId),
        applicant_id: applicantId,
        customer_user_id: investorId,
        tags: [investorId, tagOf(sessionId)],
        link: {
          completed_redirect_url: returnUrl,
          expired_redirect_url: returnUrl,
          expires_at: addSeconds(clock.now(), LINK_SECONDS).toISOString(),
          language: languages[language ?? ""],
        },
      }
      const started = await api.call({ method: "POST", path: "/workflow_runs", body, answer: run })
      // A workflow without a step for the investor has no page. It is refused because its address is empty.
      return sessionOf(started) ?? { reference: started.id, url: "", usableUntil: clock.now(), singleUse: true }
    }

    /** Opens the session's run, or finds it: Onfido has no idempotency key. */
    async function begin(session: SessionToVerify): Promise<VendorSession> {
      const runs = await runsOf(session.investorId)
      const begun = runs.find(({ tags }) => tags?.includes(tagOf(session.sessionId)))
      const resumed = begun && sessionOf(begun)
      if (resumed) return resumed
      const [before] = runs
      if (before) return startRun(session, before.applicant_id)
      // One applicant per person, because Onfido reports a face that it knows from another applicant. Onfido gets no
      // real name.
      const body = { first_name: "Investor", last_name: session.investorId }
      const applicant = await api.call({ method: "POST", path: "/applicants", body, answer: z.object({ id }) })
      return startRun(session, applicant.id)
    }

    return {
      ...(ONFIDO_API_TOKEN.startsWith("api_sandbox.") && { credentials: "test" }),
      ...(ONFIDO_API_TOKEN.startsWith("api_live.") && { credentials: "live" }),
      flow: {
        kind: "redirect",
        createSession: begin,
        async resumeSession(session, reference) {
          const before = await findRun(reference)
          if (before === null) return begin(session)
          return sessionOf(before) ?? startRun(session, before.applicant_id)
        },
        async readDecision(_session, reference) {
          const found = await findRun(reference)
          if (found?.status === "processing") return SUBMITTED
          return found && decisionOf(found)
        },
        async findReferences(monitor) {
          const path = `/watchlist_monitors/${encodeURIComponent(monitor)}`
          const watched = await api.find({ path, answer: z.object({ applicant_id: id }) })
          if (watched === null) return []
          const { applicant_id } = watched
          const query = `applicant_id=${applicant_id}`
          const runs = await api.call({ path: `/workflow_runs?${query}`, answer: z.array(run) })
          return runs.filter((one) => one.applicant_id === applicant_id).map((one) => one.id)
        },
        async redact(reference) {
          const found = await findRun(reference)
          if (found === null) return
          const path = `/applicants/${found.applicant_id}`
          await api.remove({ method: "DELETE", path }, async () => {
            const left = await api.find({ path, answer: z.object({ delete_at: z.string().nullish() }) })
            return left === null || Boolean(left.delete_at)
          })
        },
        async probe() {
          await api.call({ path: "/workflow_runs?page=1", answer: z.array(z.unknown()) })
        },
      },
      isSigned: ({ "x-sha2-signature": signature }, body) =>
        isHexHmac(signature, body, { secrets: ONFIDO_WEBHOOK_TOKEN }),
      readEvent(_headers, body): ProviderEvent | null {
        const { action, object, resource } = readBody(event, body).payload
        const eventId = digestOf(body)
        // No event reports that a run is processing. Its checks then start as tasks, so read the run when one starts.
        if (action === TASK_STARTED && resource?.workflow_run_id)
          return { eventId, about: { reference: resource.workflow_run_id }, says: { kind: "changed" } }
        if (action === "workflow_run.completed")
          return { eventId, about: { reference: object.id }, says: { kind: "changed" } }
        if (action !== "watchlist_monitor.matches_updated") return null
        const occurredAt = object.completed_at_iso8601 ?? clock.now()
        const says = { kind: "signal", signal: "watchlist_match", occurredAt, reason: action } as const
        return { eventId, about: { subject: object.id }, says }
      },
    }
  },
})

/** The page of a run while the investor has something to do there; null otherwise. */
function sessionOf({ id: reference, status, link }: Run): VendorSession | null {
  const expires = new Date(link?.expires_at ?? Number.NaN)
  if (!open.has(status) || !link?.url || !(expires > clock.now())) return null
  return { reference, url: link.url, usableUntil: expires, singleUse: false }
}

/** A tag that finds the run again, but cannot open our session. */
const tagOf = (sessionId: string): string =>
  `vouch-${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}`

function decisionOf({ status, updated_at, output, reasons }: Run): ProviderDecision | null {
  const decision = decisions[status]
  if (decision === undefined) return null
  const named = (reasons ?? []).filter((reason) => /^[\w .-]{1,60}$/.test(reason))
  if (decision !== "approved") return decide(decision, updated_at, { reason: named.slice(0, 10).join(", ") || null })
  const of = { ...output?.properties, ...output }
  const claims = {
    ...countryFrom(of.country, of.issuing_country),
    age_over_18: isOver18(of.date_of_birth, clock.now()),
    accredited: of.accredited ?? undefined,
  }
  return decide(decision, updated_at, { claims })
}
