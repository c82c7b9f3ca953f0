import { type Queryable, sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { statusAt } from "#server/domain/attestations/status.ts"
import { deployment } from "#server/domain/deployment.ts"
import type { Opening } from "#server/domain/kyc/providers/provider.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { type PublicReason, publicReasonOf } from "#shared/public-reasons.ts"
import type { AttestationStatus } from "#shared/statuses.ts"

/** What every known session's page says: who asks for what, and where it goes back to. */
type Asked = {
  /** Name of the company that asks. */
  asker: string
  mode: Mode
  schema: { id: string; name: string; validityDays: number }
  provider: AskedProvider
  wallet: string
  /** Null while there is nothing to go back with, or nowhere to go. */
  returnUrl: string | null
}

/** Who verifies, and how. */
type AskedProvider = {
  label: string
  opens: Opening["kind"]
  /** What is to be said of a provider that verifies nobody. */
  testOnly: { heading: string; text: string } | null
}

/** What the hosted page shows. Each state has the fields that exist in it. */
export type SessionView =
  | { state: "unknown" }
  | (Asked & {
      state: "open"
      /** Why another submission is asked for; null when it is the first one. */
      again: PublicReason | null
      openUntil: string
    })
  /** On the provider's own page, or back from there before the result is. */
  | (Asked & { state: "handed_over"; openUntil: string })
  | (Asked & { state: "checking"; inReview: boolean })
  | (Asked & { state: "verified"; onchainTx: string; expiresAt: string; cluster: string | null })
  | (Asked & { state: "rejected"; reason: PublicReason; was: "pending" | "cancelled" | "verified" })
  | (Asked & { state: "expired"; was: "open" | "verified" | "superseded" })

const sessionColumns = columns(
  "attestations",
  "workspace_id",
  "id",
  "schema_id",
  "provider",
  "provider_reference",
  "provider_link",
  "provider_link_until",
  "wallet",
  "redirect_url",
  "status",
  "open_until",
  "issued_at",
  "expires_at",
  "verified_at",
  "revoked_at",
  "public_reason",
  "onchain_tx",
  "event_decision",
)

export type SessionRow = RowOf<typeof sessionColumns> & {
  asker: string
  mode: Mode
  schema_name: string
  validity_days: number
  superseded: boolean
  /** Whether a submission is still on its way to the webhook. */
  undelivered: boolean
}

/** The session's row, or null when there is none. The id is the holder's only key: it is never logged. */
export async function findSession(sessionId: string, on: Queryable = sql): Promise<SessionRow | null> {
  if (!isId("sess", sessionId)) return null
  const [row] = await on<SessionRow[]>`
    select ${on(qualified("a", sessionColumns))}, c.name as asker, w.mode, s.name as schema_name, s.validity_days,
      a.reason is not distinct from 'superseded' as superseded,
      exists (select from sandbox_submissions b where b.workspace_id = a.workspace_id and b.attestation_id = a.id
        and b.delivered_at is null) as undelivered
    from attestations a
    join workspaces w on w.id = a.workspace_id
    join accounts c on c.id = w.account_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where a.session_id = ${sessionId}`
  return row ?? null
}

/** What the page shows of a session at a time. */
export function viewOf(row: SessionRow | null, now: Date, cluster: string | null): SessionView {
  if (row === null) return { state: "unknown" }
  const status = statusAt(row, now)
  const asked: Asked = {
    asker: row.asker,
    mode: row.mode,
    schema: { id: row.schema_id, name: row.schema_name, validityDays: row.validity_days },
    provider: askedProvider(row),
    wallet: row.wallet,
    returnUrl:
      status === "pending" || row.redirect_url === null ? null : returnUrl(row.redirect_url, row.id, status),
  }
  switch (status) {
    case "verified":
      return {
        ...asked,
        state: "verified",
        onchainTx: row.onchain_tx!,
        expiresAt: toTimestamp(row.expires_at!),
        cluster,
      }
    case "rejected":
      return { ...asked, state: "rejected", reason: publicReasonOf(row)!, was: wasBeforeRejection(row) }
    case "expired":
      return { ...asked, state: "expired", was: wasBefore(row) }
    case "pending":
      return pendingView(asked, row)
  }
}

/** A provider whose settings are gone has its name left: whoever goes on is told that it cannot be reached. */
function askedProvider({ mode, provider: name }: SessionRow): AskedProvider {
  const provider = deployment.providers[mode].connected.get(name)
  if (!provider) return { label: name, opens: "redirect", testOnly: null }
  const { label, opening, testOnly } = provider
  return {
    label,
    opens: opening.kind,
    testOnly: testOnly && { heading: testOnly.heading, text: testOnly.text },
  }
}

/** What it was until it was rejected, or until the asker ended it before its time. */
const wasBeforeRejection = (row: SessionRow) =>
  row.verified_at !== null ? "verified" : row.revoked_at !== null ? "cancelled" : "pending"

/** What an attestation was until it expired. */
const wasBefore = (row: SessionRow) =>
  row.verified_at === null ? "open" : row.superseded ? "superseded" : "verified"

function pendingView(asked: Asked, row: SessionRow): SessionView {
  const inReview = row.event_decision === "in_review"
  if (row.issued_at !== null || row.undelivered || inReview || row.open_until === null) {
    return { ...asked, state: "checking", inReview: inReview && !row.undelivered && row.issued_at === null }
  }
  const openUntil = toTimestamp(row.open_until)
  if (row.provider_link_until !== null) return { ...asked, state: "handed_over", openUntil }
  return { ...asked, state: "open", again: publicReasonOf(row), openUntil }
}

/** The asker's address with the result appended; never the session's id. */
function returnUrl(redirectUrl: string, attestationId: string, status: AttestationStatus): string {
  const url = new URL(redirectUrl)
  url.searchParams.set("attestation_id", attestationId)
  url.searchParams.set("status", status)
  return url.href
}
