import type { IncomingHttpHeaders } from "node:http"
import type { z } from "zod"
import type { Claims } from "#shared/claims.ts"
import type { Language } from "#shared/languages.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"

/** What a provider has decided about a session. */
export type ProviderDecision = {
  decision: Decision
  /** When it was decided, by the provider's clock: what orders decisions. */
  occurredAt: Date
  claims: Claims
  /** The provider's own words: for the customer, never for the investor. */
  reason: string | null
  /** The public reason for the investor; null for the default. */
  publicReason: PublicReason | null
}

/** What a vendor answers when it is asked; the time is null where it does not say since when that is so. */
export type ReadDecision = Omit<ProviderDecision, "occurredAt"> & { occurredAt: Date | null }

/** What a vendor says of a session: a decision, that it is at work, or null for nothing yet. */
export type ReadAnswer = ReadDecision | typeof SUBMITTED | null

/** The investor has submitted, and the vendor has not decided yet. */
export const SUBMITTED = "submitted"

/** An authentic event of a provider. */
export type ProviderEvent = {
  /** By which a repeat is recognised; where the provider gives none, the digest of the body (`digestOf`). */
  eventId: string
  /**
   * Whose event it is: our session's id, or the vendor's reference of it. A vendor that checks people rather than
   * sessions has one reference for all sessions of a person: the event is about each of them. A signal may be about
   * all that is known of a person: by our id of the investor, under several references, or under a name of the vendor's
   * that it is asked about.
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
     * That something was decided: what, the vendor is asked (`readDecision`). `occurredAt` is when, where that is signed:
     * it counts if the vendor's answer does not say. `isFinal` says that no further step follows, for a vendor whose
     * answer alone does not show it.
     */
    | ({ kind: "changed"; occurredAt?: Date; isFinal?: boolean } & AfterApproval)
    /** The investor has submitted: nothing is decided, but the session has 30 days from now on. */
    | { kind: typeof SUBMITTED }
    /** Something about a person who may have been approved long ago. What it leads to is the workspace's policy. */
    | { kind: "signal"; signal: Signal; occurredAt: Date; reason: string | null }
}

/** What it is, besides, where the decision is a review and the person was approved before. */
type AfterApproval = { afterApproval?: Signal }

/** What a vendor may say of a person after its decision. */
export type Signal = "watchlist_match" | "case_opened" | "person_deactivated" | "data_deleted"

/** A session of ours, as its provider is told of it. */
export type SessionToVerify = {
  /** Our reference, and what a vendor's own idempotency goes by: the same session is never opened twice. */
  sessionId: string
  /** The person, the same for all sessions and wallets of an investor: what a vendor that keeps people goes by. */
  investorId: string
  schemaId: string
  /** How long an approval counts: one that is nearly over is no use to a vendor that keeps people. */
  validityDays: number
  wallet: string
  /** Where the vendor's page leads back to. */
  returnUrl: string
  /** The language of our page, ISO 639-1, for a vendor that takes one. */
  language: Language | null
  /** What the vendor said last; null before it has said something. */
  lastDecision: Decision | null
}

/** A session on the vendor's side. */
export type VendorSession = {
  /** The vendor's id of it. */
  reference: string
  /** The vendor's page: opened at top level, never framed. */
  url: string
  /** Until when the address may be opened; after that `resumeSession` gives another. */
  usableUntil: Date
  /** Such an address is not kept: each time, `resumeSession` gives another. */
  singleUse: boolean
  /** Whether the vendor, which keeps people, has decided about this one before: it is asked at once. */
  isDecided?: boolean
}

/** What was entered in the hosted page's own form, or decided in its place. */
type FormSubmission = {
  eventId: string
  sessionId: string
  decision: Decision
  claims: Claims
  /** Null for the default. */
  publicReason: PublicReason | null
  occurredAt: Date
}

/** How the investor goes on after the consent: in a form on the hosted page, or on the vendor's own page. */
export type Flow =
  | {
      kind: "form"
      /** The webhook that reports a submission, as a vendor would send it at this time. */
      report(submission: FormSubmission, sentAt: Date): { headers: Record<string, string>; body: string }
    }
  | {
      kind: "redirect"
      /**
       * Opens the vendor's side of a session. Called outside of any transaction, and again while it fails: for the
       * same session the vendor must give the same one. Errors: provider_unavailable.
       */
      createSession(session: SessionToVerify): Promise<VendorSession>
      /**
       * Another address for a session that `createSession` opened: the last one is used up, or the investor is to
       * submit again. A vendor whose sessions take one submission opens a new one. Errors: provider_unavailable.
       */
      resumeSession(session: SessionToVerify, reference: string): Promise<VendorSession>
      /** Whether the same session takes another submission, at the same address while it is usable. */
      takesResubmission?: true
      /**
       * What the vendor has decided by now about a session that `createSession` opened; null while the investor has
       * something left to do there. Errors: provider_unavailable.
       */
      readDecision(
        session: SessionToVerify,
        reference: string,
        told?: { isFinal: boolean },
      ): Promise<ReadAnswer>
      /**
       * References of the sessions that an event is about which names none of them (`subject`); for a vendor that sends
       * such events. Errors: provider_unavailable.
       */
      findReferences?(subject: string): Promise<readonly string[]>
      /**
       * Asks the vendor to delete what it keeps of the person; null where it cannot be asked by its API.
       * Errors: provider_unavailable.
       */
      redact: ((reference: string) => Promise<void>) | null
      /** Asks the vendor for something that only valid credentials give, and changes nothing. Errors: provider_unavailable. */
      probe(): Promise<void>
    }

/** A provider with its settings. */
export type Adapter = {
  flow: Flow
  /** What people read, where settings say it; else the definition's. */
  label?: string
  /** Whether its credentials are of the vendor's sandbox, where anybody may pass; left out where they do not show it. */
  credentials?: "live" | "test"
  /**
   * Whether the provider signed these very bytes, recently enough where it signs the time. Reads nothing else of them.
   */
  isSigned(headers: IncomingHttpHeaders, body: Buffer): boolean
  /**
   * What a webhook says whose signature held; null if it is known to say nothing about a session. Throws if it cannot
   * read the body or does not know the event's type: the log then says so, and the vendor is asked about the checks that
   * the body names (`unread-webhook.ts`).
   * Errors: malformed_json, malformed_request, validation_failed.
   */
  readEvent(headers: IncomingHttpHeaders, body: Buffer): ProviderEvent | null
  /**
   * Answers errors of `readEvent` with a 4xx. For Vouch's own format, so that the author of a bridge sees the mistake,
   * and for a vendor whose documents say that it retries after a 4xx. Others get 200 `ignored`.
   */
  refusesUnread?: true
}

type Facts = {
  /** In the settings, in the webhook's address and in records. Lower case. */
  name: string
  /** What people read: "Checked by …". */
  label: string
  /**
   * For a provider that verifies nobody: what is said of that. It never decides live cases of a public server.
   */
  testOnly: {
    /** On the dashboard. The hosted page says it in its own words, in each language. */
    notice: string
  } | null
  /** What is entered at the vendor, once, and where: `vouch provider check` prints it. */
  setup(own: OwnAddresses): SetupStep[]
}

/** What a vendor has to know of this deployment. */
type OwnAddresses = {
  /** Where its webhooks go. */
  webhook: string
  /** Where its page leads back to, such as `https://vouch.example.com`. */
  origin: string
}

/** A field of a vendor's dashboard, by the way there, and what is entered in it. */
export type SetupStep = { where: string; enter: string }

/** Names of a provider's settings in the environment, without `VOUCH_` and the mode. */
type SettingNames = { settings: readonly string[] }

export type Provider = Facts & SettingNames & Adapter

/** Values by name; null where there is none. */
export type Values = Record<string, string | undefined>

/** All that there is to say about a provider. One file each, listed in `table.ts`. */
export type ProviderDefinition = Facts &
  SettingNames & {
    /** The provider with these settings, or says of each that is wrong what it must be. */
    configure(values: Values): { provider: Provider } | { wrong: { name: string; problem: string }[] }
  }

/**
 * A definition. `settings` has a field for each variable: `API_KEY` is read from `VOUCH_TEST_API_KEY` in test mode, or
 * else from `VOUCH_API_KEY`.
 */
export function defineProvider<Settings extends z.ZodObject>({
  settings,
  create,
  ...facts
}: Facts & {
  settings: Settings
  create(settings: z.infer<Settings>): Adapter
}): ProviderDefinition {
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
