import type { IncomingHttpHeaders } from "node:http"
import type { z } from "zod"
import type { Claims } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"

/** An authentic event of a provider about one session. */
export type ProviderEvent = {
  /** By which a repeat is recognised. */
  eventId: string
  sessionId: string
  decision: Decision
  occurredAt: Date
  claims: Claims
  /** The provider's own words: for the customer, never for the wallet's holder. */
  reason: string | null
  /** The public reason for the wallet's holder; null for the default. */
  publicReason: PublicReason | null
}

/** A session of ours, as its provider is told of it. */
export type SessionToVerify = {
  /** Our reference, and what a vendor's own idempotency goes by: the same session is never opened twice. */
  sessionId: string
  schemaId: string
  wallet: string
  /** Where the vendor's page leads back to. */
  returnUrl: string
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
}

/** What was entered in the hosted page's own form. */
export type FormSubmission = {
  eventId: string
  sessionId: string
  decision: Decision
  claims: Claims
  occurredAt: Date
}

/** How the investor goes on after the consent: in a form on the hosted page, or on the vendor's own page. */
export type Opening =
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
       * submit
       * again. A vendor whose sessions take one submission opens a new one. Errors: provider_unavailable.
       */
      resumeSession(session: SessionToVerify, reference: string): Promise<VendorSession>
    }

/** A provider with its settings. */
export type Connected = {
  opening: Opening
  /**
   * Whether the provider signed these very bytes, recently enough where it signs the time. Reads nothing else of
   * them.
   */
  isSigned(headers: IncomingHttpHeaders, body: Buffer): boolean
  /**
   * What a webhook says whose signature held; null where it says nothing of a session. May ask the vendor, as where a
   * webhook has no decision in it. Errors: malformed_json, malformed_request, validation_failed, provider_unavailable.
   */
  readEvent(headers: IncomingHttpHeaders, body: Buffer): Promise<ProviderEvent | null>
}

type Facts = {
  /** In the settings, in the webhook's address and in records. Lower case. */
  name: string
  /** What people read: "Checked by …". */
  label: string
  /**
   * For a provider that verifies nobody: what the pages say of that. It never decides live cases of a public
   * server.
   */
  testOnly: {
    /** Above the form on the hosted page, and below it. */
    heading: string
    text: string
    /** On the dashboard. */
    notice: string
  } | null
}

/** Names of a provider's settings in the environment, without `VOUCH_` and the mode. */
type SettingNames = { settings: readonly string[] }

export type Provider = Facts & SettingNames & Connected

/** Values by name; null where there is none. */
export type Values = Record<string, string | undefined>

/** All that there is to say about a provider. One file each, listed in `table.ts`. */
export type ProviderDefinition = Facts &
  SettingNames & {
    /** Connects with these settings, or says of each that is wrong what it must be. */
    open(values: Values): { provider: Provider } | { wrong: { name: string; problem: string }[] }
  }

/**
 * A definition. `settings` has a field for each variable: `API_KEY` is read from `VOUCH_TEST_API_KEY` in test mode, or
 * else from `VOUCH_API_KEY`.
 */
export function defineProvider<Settings extends z.ZodObject>({
  settings,
  connect,
  ...facts
}: Facts & {
  settings: Settings
  connect(settings: z.infer<Settings>): Connected
}): ProviderDefinition {
  const named = { ...facts, settings: Object.keys(settings.shape) }
  return {
    ...named,
    open(values) {
      const parsed = settings.safeParse(values)
      if (parsed.success) return { provider: { ...named, ...connect(parsed.data) } }
      return {
        wrong: parsed.error.issues.map(({ path, message }) => {
          const name = String(path[0])
          return { name, problem: values[name] === undefined ? "required" : message }
        }),
      }
    },
  }
}
