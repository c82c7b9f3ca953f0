import type { IncomingHttpHeaders } from "node:http"
import type { z } from "zod"
import type { Claims } from "#shared/claims.ts"
import type { Language } from "#shared/languages.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"

export type ProviderDecision = {
  decision: Decision
  /** When the provider decided, by its clock. Orders decisions. */
  occurredAt: Date
  claims: Claims
  /** The provider's words: for the customer, never for the investor. */
  reason: string | null
  /** The public reason for the investor; null for the default. */
  publicReason: PublicReason | null
}

/** A vendor's answer about a session. The time is null if the vendor does not give one. */
export type ReadDecision = Omit<ProviderDecision, "occurredAt"> & { occurredAt: Date | null }

/** A vendor's answer: a decision, that it is working on the submission, or null for nothing yet. */
export type ReadAnswer = ReadDecision | typeof SUBMITTED | null

/** The investor has submitted, and the vendor has not decided yet. */
export const SUBMITTED = "submitted"

export type ProviderEvent = {
  /** Identifies repeats. If the provider gives no id, the digest of the body (`digestOf`). */
  eventId: string
  /**
   * Our session's id, or the vendor's reference of it. A vendor that checks people has one reference for all sessions
   * of a person. A signal can be about a person: by our investor id, several references, or a subject that
   * `findReferences` resolves.
   */
  about:
    | { sessionId: string }
    | { reference: string }
    | { references: readonly string[] }
    | { investorId: string }
    | { subject: string }
  says:
    | ({ kind: "decision" } & AfterApproval & ProviderDecision)
    /**
     * Something changed, and `readDecision` asks the vendor what. `occurredAt` is the event's signed time, which counts
     * if the answer has none. `isFinal`: no further step follows, for a vendor whose answer does not show that.
     */
    | ({ kind: "changed"; occurredAt?: Date; isFinal?: boolean } & AfterApproval)
    /** The investor has submitted. Nothing is decided, but the session now stays open for 30 days. */
    | { kind: typeof SUBMITTED }
    /** News about a person who may have been approved long ago. The workspace's policy says what to do. */
    | { kind: "signal"; signal: Signal; occurredAt: Date; reason: string | null }
}

/** The signal to apply if the decision is a review and the person was approved before. */
type AfterApproval = { afterApproval?: Signal }

/** What a vendor can report about a person after its decision. */
export type Signal = "watchlist_match" | "case_opened" | "person_deactivated" | "data_deleted"

export type SessionToVerify = {
  /** Our reference. Also the key of the vendor's idempotency, so that a session is never opened twice. */
  sessionId: string
  /** The person, the same for all sessions and wallets of an investor. Vendors that keep people identify them by it. */
  investorId: string
  schemaId: string
  /** How long an approval is valid. A vendor that keeps people must not reuse one that is about to end. */
  validityDays: number
  wallet: string
  returnUrl: string
  /** The language of our page, ISO 639-1, for a vendor that takes one. */
  language: Language | null
  /** The vendor's last decision; null before the first. */
  lastDecision: Decision | null
}

export type VendorSession = {
  reference: string
  /** The vendor's page: opened in its own page, never in a frame. */
  url: string
  /** Until when the address works. After that `resumeSession` returns another. */
  usableUntil: Date
  /** A single-use address is not stored: `resumeSession` returns a new one each time. */
  singleUse: boolean
  /** Whether a vendor that keeps people has already decided about this one. If so, it is asked at once. */
  isDecided?: boolean
}

/** What was entered in the hosted page's form, or decided in its place. */
type FormSubmission = Omit<ProviderDecision, "reason"> & { eventId: string; sessionId: string }

/** How the investor continues after the consent: in a form on the hosted page, or on the vendor's page. */
export type Flow =
  | {
      kind: "form"
      /** The webhook that reports a submission, as a vendor would send it at this time. */
      report(submission: FormSubmission, sentAt: Date): { headers: Record<string, string>; body: string }
    }
  | {
      kind: "redirect"
      /**
       * Opens the vendor's session. Called outside of any transaction, and repeated while it fails, so the vendor must
       * return the same session each time. Errors: provider_unavailable.
       */
      createSession(session: SessionToVerify): Promise<VendorSession>
      /**
       * Returns another address for an opened session, because the last one no longer works or the investor must submit
       * again. A vendor whose sessions accept only one submission opens a new one.
       */
      resumeSession(session: SessionToVerify, reference: string): Promise<VendorSession>
      /** Whether the same session accepts another submission, at the same address while it works. */
      takesResubmission?: true
      /** The vendor's current decision; null while the investor still has something to do there. */
      readDecision(session: SessionToVerify, reference: string, event?: { isFinal: boolean }): Promise<ReadAnswer>
      /** References of the sessions that a `subject` is about, for vendors that send events without references. */
      findReferences?(subject: string): Promise<readonly string[]>
      /** Asks the vendor to delete the person's data; null if its API does not offer that. */
      redact: ((reference: string) => Promise<void>) | null
      /** Makes a request that succeeds only with valid credentials and changes nothing. */
      probe(): Promise<void>
    }

export type Adapter = {
  flow: Flow
  /** The name for people, if a setting gives one; otherwise the definition's `label` counts. */
  label?: string
  /** The vendor's own page about a check, for the team. Only if the vendor documents its address. */
  pageOf?(reference: string): string
  /** Whether its credentials are of the vendor's sandbox, where anyone can pass. Omitted if they do not show it. */
  credentials?: "live" | "test"
  /** Whether the provider signed these exact bytes, and recently if it signs the time. Reads nothing else of them. */
  isSigned(headers: IncomingHttpHeaders, body: Buffer): boolean
  /**
   * Reads a webhook whose signature is valid; null if it is never about a session. Throws if it cannot read the body or
   * does not know the event's type: Vouch then asks the vendor (`unread-webhook.ts`). Errors: malformed_json,
   * malformed_request, validation_failed.
   */
  readEvent(headers: IncomingHttpHeaders, body: Buffer): ProviderEvent | null
  /**
   * Answer errors of `readEvent` with a 4xx, so that the author of a bridge sees the mistake. Others get 200 `ignored`.
   */
  refusesUnread?: true
}

type Facts = {
  /** Used in settings, the webhook's address and records. Lower case. */
  name: string
  /** The name for people: "Checked by …". */
  label: string
  /** Marks a provider that does not verify anyone. It never decides live cases of a public server. */
  testOnly: {
    /** Shown on the dashboard. The hosted page has its own text in each language. */
    notice: string
  } | null
  /** What to enter at the vendor once, and where. `vouch provider check` prints it. */
  setup(own: OwnAddresses): SetupStep[]
}

/** The addresses of this deployment that a vendor needs. */
type OwnAddresses = {
  webhook: string
  /** Where the vendor's page sends investors back to, such as `https://vouch.example.com`. */
  origin: string
}

/** A field of a vendor's dashboard: the path to it, and what to enter. */
type SetupStep = { where: string; enter: string }

/** `settings` are their names in the environment, without `VOUCH_` and the mode. */
type Named = Facts & { settings: readonly string[] }

export type Provider = Named & Adapter

/** Values by name; undefined if not set. */
export type Values = Record<string, string | undefined>

/** The definition of a provider. One file each, listed in `table.ts`. */
export type ProviderDefinition = Named & {
  /** Returns the provider with these settings, or the problem of each wrong one. */
  configure(values: Values): { provider: Provider } | { wrong: { name: string; problem: string }[] }
}

/** `API_KEY` in `settings` is read from `VOUCH_TEST_API_KEY` in test mode, or else from `VOUCH_API_KEY`. */
export function defineProvider<Settings extends z.ZodObject>(
  definition: Facts & { settings: Settings; create(settings: z.infer<Settings>): Adapter },
): ProviderDefinition {
  const { settings, create, ...facts } = definition
  const named = { ...facts, settings: Object.keys(settings.shape) }
  return {
    ...named,
    configure(values) {
      const parsed = settings.safeParse(values)
      if (parsed.success) return { provider: { ...named, ...create(parsed.data) } }
      return {
        wrong: parsed.error.issues.map(({ path, message }) => {
          const name = String(path[0])
          return { name, problem: values[name] === undefined ? "required" : message }
        }),
      }
    },
  }
}
