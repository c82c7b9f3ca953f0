import { type Queryable, sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { type Brand, type BrandRow, brandColumns, brandOf } from "#domain/accounts"
import { statusAt } from "#domain/attestations"
import { deployment, providerLabel } from "#domain/deployment"
import type { Flow } from "#domain/providers"
import { reminderState } from "#server/domain/kyc/renewal/reminder-state.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { isOfProgram } from "#server/solana/strict-ed25519.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { type PublicReason, publicReasonOf } from "#shared/public-reasons.ts"
import type { AttestationStatus } from "#shared/statuses.ts"

type Known = {
  /** The company that asks for the verification, and its brand. */
  company: string
  brand: Brand
  mode: Mode
  schema: { id: string; name: string; validityDays: number }
  provider: ProviderView
  wallet: Address
  /** Whether the wallet must sign first. */
  walletProof: "none" | "needed" | "given"
  /** Null if the session has no result yet or no redirect address. */
  returnUrl: string | null
}

type ProviderView = {
  label: string
  flow: Flow["kind"]
  /** Whether it is a test provider that does not verify anyone. */
  testOnly: boolean
}

/** The hosted page's content. Each state has only the fields that exist in it. */
export type SessionView =
  | { state: "unknown" }
  | (Known & {
      state: "open"
      /** Why the investor must submit again; null for the first submission. */
      again: PublicReason | null
      /** Whether the investor consented before the wallet step. Otherwise the consent comes with the submission. */
      consented: boolean
      /** Whether the wallet must sign on chain, because it is a program's address, such as a multisig vault. */
      provesOnChain: boolean
      openUntil: string
    })
  /** On the provider's page, or back from it before the result has arrived. */
  | (Known & { state: "handed_over"; openUntil: string })
  | (Known & { state: "checking"; inReview: boolean })
  | (Known & {
      state: "verified"
      onchainTx: string
      expiresAt: string
      cluster: string | null
      /** Whether the investor can set a reminder, or has set one; null if the workspace sends no reminders. */
      reminder: "offered" | "set" | null
    })
  /** The page of a renewal link (`../renewal/`), which also works for some time after the verification expires. */
  | (Known & { state: "renewal"; expiresAt: string; isOver: boolean; isReminded: boolean })
  | (Known & { state: "rejected"; reason: PublicReason; was: "pending" | "cancelled" | "verified" })
  | (Known & { state: "expired"; was: "open" | "verified" | "superseded" })

const sessionColumns = columns(
  "attestations",
  "workspace_id, id, investor_id, schema_id, provider, provider_reference, earlier_references, provider_link",
  "provider_link_until, resume_link_until, wallet, redirect_url, status, open_until, opened_at, consented_at",
  "issued_at, expires_at, verified_at, revoked_at, public_reason, onchain_tx, event_decision, held_at, wallet_proof_required",
  "wallet_proved_at, external_id, reminder_email, reminder_language",
)

export type SessionRow = RowOf<typeof sessionColumns> &
  BrandRow & {
    company: string
    mode: Mode
    schema_name: string
    validity_days: number
    reminds: boolean
    reminder_days: number[]
    superseded: boolean
    /** Whether a submission has not reached the webhook yet. */
    undelivered: boolean
  }

/** Finds a session, or null. Never log the id: it is all that opens the page. */
export const findSession = async (sessionId: string, on: Queryable = sql): Promise<SessionRow | null> =>
  isId("sess", sessionId) ? find(on, on`a.session_id = ${sessionId}`) : null

/** Finds a session by its attestation, for a link that names it. */
export const findAttestation = (attestationId: string): Promise<SessionRow | null> =>
  find(sql, sql`(a.workspace_id, a.id) in (select id, ${attestationId} from workspaces)`)

async function find(on: Queryable, where: ReturnType<typeof sql>): Promise<SessionRow | null> {
  const [row] = await on<SessionRow[]>`
    select ${on(qualified("a", sessionColumns))}, c.name as company, ${on(qualified("c", brandColumns))}, w.mode, s.name as schema_name, s.validity_days,
      w.reminders as reminds, s.reminder_days,
      a.reason is not distinct from 'superseded' as superseded,
      exists (select from sandbox_submissions b where b.workspace_id = a.workspace_id and b.attestation_id = a.id
        and b.delivered_at is null) as undelivered
    from attestations a
    join workspaces w on w.id = a.workspace_id
    join accounts c on c.id = w.account_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where ${where}`
  return row ?? null
}

export const needsProof = (row: SessionRow): boolean => row.wallet_proof_required && row.wallet_proved_at === null

/** Refuses to continue to a provider before the proof of the wallet. Errors: wallet_proof_required. */
export function requireProof(row: SessionRow): void {
  if (!needsProof(row)) return
  fail(
    "wallet_proof_required",
    "sessionId: this session requires proof of the wallet first. Sign the message with the wallet, then continue.",
  )
}

export function viewOf(row: SessionRow | null, now: Date): SessionView {
  if (row === null) return { state: "unknown" }
  const status = statusAt(row, now)
  const known: Known = {
    company: row.company,
    brand: brandOf(row),
    mode: row.mode,
    schema: { id: row.schema_id, name: row.schema_name, validityDays: row.validity_days },
    provider: providerView(row),
    wallet: row.wallet,
    walletProof: needsProof(row) ? "needed" : row.wallet_proof_required ? "given" : "none",
    returnUrl: status === "pending" || row.redirect_url === null ? null : returnUrl(row.redirect_url, row.id, status),
  }
  switch (status) {
    case "verified":
      return {
        ...known,
        state: "verified",
        onchainTx: row.onchain_tx!,
        expiresAt: toTimestamp(row.expires_at!),
        cluster: deployment.chains[row.mode]?.identity?.cluster ?? null,
        reminder: reminderState(row, now),
      }
    case "rejected": {
      const was = row.verified_at !== null ? "verified" : row.revoked_at !== null ? "cancelled" : "pending"
      return { ...known, state: "rejected", reason: publicReasonOf(row)!, was }
    }
    case "expired": {
      const was = row.verified_at === null ? "open" : row.superseded ? "superseded" : "verified"
      return { ...known, state: "expired", was }
    }
    case "pending":
      return pendingView(known, row)
  }
}

/** A provider without settings shows its name. Continuing then answers that it cannot be reached. */
function providerView({ mode, provider: name }: SessionRow): ProviderView {
  const provider = deployment.providers[mode].configured.get(name)
  if (!provider) return { label: providerLabel(mode, name), flow: "redirect", testOnly: false }
  const { label, flow, testOnly } = provider
  return { label, flow: flow.kind, testOnly: testOnly !== null }
}

function pendingView(known: Known, row: SessionRow): SessionView {
  const inReview = row.event_decision === "in_review"
  // First the proof: without it, the provider's decision has no effect.
  if (needsProof(row) && row.open_until !== null) return openView(known, row, row.open_until)
  const isApproved = row.issued_at !== null || row.held_at !== null
  if (isApproved || row.undelivered || inReview || row.open_until === null) {
    return { ...known, state: "checking", inReview: inReview && !row.undelivered && row.issued_at === null }
  }
  if (row.provider_link_until === null) return openView(known, row, row.open_until)
  return { ...known, state: "handed_over", openUntil: toTimestamp(row.open_until) }
}

const openView = (known: Known, row: SessionRow, openUntil: Date): SessionView => ({
  ...known,
  state: "open",
  again: publicReasonOf(row),
  consented: row.wallet_proof_required && row.consented_at !== null,
  provesOnChain: needsProof(row) && isOfProgram(publicKeyOf(row.wallet)),
  openUntil: toTimestamp(openUntil),
})

/** The company's address with the result, but without the session's id. */
function returnUrl(redirectUrl: string, attestationId: string, status: AttestationStatus): string {
  const url = new URL(redirectUrl)
  url.searchParams.set("attestation_id", attestationId)
  url.searchParams.set("status", status)
  return url.href
}
