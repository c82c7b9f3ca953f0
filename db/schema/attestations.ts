import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { Language } from "#shared/languages.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { AttestationStatus, Decision } from "#shared/statuses.ts"
import { ofWorkspace } from "./accounts.ts"
import { bytes, refersTo, time } from "./columns.ts"

/** What can be verified, and how long it is valid. */
export const schemas = pgTable(
  "schemas",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    name: text().notNull(),
    validityDays: integer("validity_days").notNull(),
    /** Whether investors must prove that the wallet is theirs; null: as the provider says (`proof-required.ts`). */
    walletProof: boolean("wallet_proof"),
    /** How many days before expiry investors are reminded; empty for no reminders. */
    reminderDays: integer("reminder_days").array().notNull().default(sql`'{30,7,1}'`),
    /** Address of the credential's Token-2022 mint, once an operation to create it is in the ledger. */
    credentialMint: text("credential_mint"),
    /** The key with authority over the mint; null before the mint exists. */
    authority: text().$type<Address>(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check("schemas_validity_days", sql`${t.validityDays} between 1 and 36500`),
    check(
      "schemas_reminder_days",
      sql`cardinality(${t.reminderDays}) <= 5 and 0 < all (${t.reminderDays}) and 366 > all (${t.reminderDays})`,
    ),
  ],
)

/**
 * A person with any number of wallets. The customer's own id names the person. Without one, the person is known by one
 * wallet until a session of that wallet brings an id.
 */
export const investors = pgTable(
  "investors",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    /** Orders rows of the same time; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    externalId: text("external_id"),
    /** The only wallet of a person who never had an external id. */
    wallet: text().$type<Address>(),
    /** Another investor, who turned out to be the same person. */
    mergedInto: text("merged_into"),
    createdAt: time("created_at").notNull(),
    /** When all personal data was erased. */
    erasedAt: time("erased_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(t, t.workspaceId, t.mergedInto),
    uniqueIndex("investors_external_id").on(t.workspaceId, t.externalId).where(sql`external_id is not null`),
    // If two sessions of a new wallet start at once, one finds the investor of the other.
    uniqueIndex("investors_one_of_wallet")
      .on(t.workspaceId, t.wallet)
      .where(sql`external_id is null and merged_into is null`),
    // Migrations make one more, investors_external_id_words, if the host has pg_trgm.
    // Those that an investor's merging takes along
    index("investors_merged").on(t.workspaceId, t.mergedInto).where(sql`merged_into is not null`),
    // GET /investors
    index("investors_newest").on(t.workspaceId, t.seq.desc()).where(sql`merged_into is null`),
  ],
)

/** Members' notes about an investor, for each other. */
export const investorNotes = pgTable(
  "investor_notes",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    /** Orders notes of the same time; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    investorId: text("investor_id").notNull(),
    /** Sealed with the data key. */
    body: bytes().notNull(),
    /** The member and their name at that time: members leave, and notes stay. */
    authorId: text("author_id").notNull(),
    authorName: text("author_name").notNull(),
    createdAt: time("created_at").notNull(),
    editedAt: time("edited_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(investors, t.workspaceId, t.investorId),
    // An investor's notes, newest first
    index("investor_notes_newest").on(t.workspaceId, t.investorId, t.seq.desc()),
  ],
)

/** One verification of one wallet, with the session that starts it. */
export const attestations = pgTable(
  "attestations",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    /** Orders rows of the same start; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    schemaId: text("schema_id").notNull(),
    wallet: text().$type<Address>().notNull(),
    investorId: text("investor_id").notNull(),
    externalId: text("external_id"),
    status: text().$type<AttestationStatus>().notNull(),
    /** Month whose quota the session counts against, `YYYY-MM-01`. */
    period: text().notNull(),
    createdAt: time("created_at").notNull(),

    sessionId: text("session_id").notNull(),
    provider: text().notNull(),
    /** The vendor's id of the session, if the vendor's page verifies. */
    providerReference: text("provider_reference"),
    /** Ids of earlier checks at the vendor, because a new submission may be a new check there. */
    earlierReferences: text("earlier_references").array(),
    /** Address of the vendor's page, sealed with the data key; null if it works only once. */
    providerLink: bytes("provider_link"),
    /** Until when that address may be opened; null before it is known, and after the vendor's first answer. */
    providerLinkUntil: time("provider_link_until"),
    /** Until when the same address accepts another submission that the vendor requested; null if none. */
    resumeLinkUntil: time("resume_link_until"),
    /** In which the investor first went to the vendor, who refuses to repeat a request in another language. */
    language: text().$type<Language>(),
    /** Until when one process alone asks the vendor about the session. */
    providerCallUntil: time("provider_call_until"),
    /** When to ask the vendor next whether it has decided; null if no decision is expected. */
    askAt: time("ask_at"),
    /** How often it was asked without a result. */
    asks: smallint().notNull().default(0),
    redirectUrl: text("redirect_url"),
    /** When an undecided session closes; null once approved, because it then no longer expires. */
    openUntil: time("open_until"),
    /** When the vendor first reported a submission: from then on the session has 30 days. */
    submittedAt: time("submitted_at"),
    /** Whether its time is over and it stays open, for a day at most, only until its vendor answers once more. */
    closing: boolean().notNull().default(false),
    /** When a browser first opened the hosted page; null before, and for sessions of earlier versions. */
    openedAt: time("opened_at"),
    consentedAt: time("consented_at"),
    /** Whether an approval waits for the proof of the wallet, by the schema at the session's start. */
    walletProofRequired: boolean("wallet_proof_required").notNull().default(false),
    walletProvedAt: time("wallet_proved_at"),
    /** Time of an approval that waits for that proof, with its claims; null if none waits. */
    heldAt: time("held_at"),
    /** The last applied provider event: its time, its rank among events of the same time, and its decision. */
    eventAt: time("event_at"),
    eventRank: smallint("event_rank"),
    eventDecision: text("event_decision").$type<Decision>(),
    /** The review that decided it, if a person did instead of the provider. */
    reviewId: text("review_id"),
    reviewedAt: time("reviewed_at"),

    /** Time of the provider's approval, fixed before signing. */
    issuedAt: time("issued_at"),
    /** When the approval took effect here; null before. */
    approvedAt: time("approved_at"),
    expiresAt: time("expires_at"),
    /** Claims, sealed with the data key; null once erased. */
    claims: bytes(),
    salt: text(),
    commitment: text(),
    /** The ledger operation that puts it on chain, from the approval on. */
    operationId: text("operation_id"),
    onchainTx: text("onchain_tx"),
    verifiedAt: time("verified_at"),

    endedAt: time("ended_at"),
    revokedAt: time("revoked_at"),
    /** Why it was rejected, revoked or superseded; only the customer sees it. */
    reason: text(),
    /** The public reason code for the investor; null for the default. */
    publicReason: text("public_reason").$type<PublicReason>(),
    /** Where to remind the investor before it expires, sealed with the data key, and in which language. */
    reminderEmail: bytes("reminder_email"),
    reminderLanguage: text("reminder_language").$type<Language>(),
    /** When all personal data was erased. */
    erasedAt: time("erased_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(schemas, t.workspaceId, t.schemaId),
    refersTo(investors, t.workspaceId, t.investorId),
    check("attestations_status", sql`${t.status} in ('pending', 'verified', 'rejected', 'expired')`),
    check(
      "attestations_verified",
      sql`${t.status} <> 'verified' or (${t.issuedAt} is not null and ${t.expiresAt} is not null and ${t.onchainTx} is not null)`,
    ),
    check(
      "attestations_public_reason",
      sql`${t.publicReason} in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable')`,
    ),
    unique("attestations_session").on(t.sessionId),
    // One open session and one unit of quota per person, wallet and schema, under any concurrency. Another person may
    // have a session of the same wallet: starting one takes nothing from anyone.
    uniqueIndex("attestations_one_pending")
      .on(t.workspaceId, t.wallet, t.schemaId, t.investorId)
      .where(sql`status = 'pending'`),
    // `wallet_owner`: the person for whom a wallet was last proven or approved
    index("attestations_wallet_owner")
      .on(
        t.workspaceId,
        t.wallet,
        sql`greatest(wallet_proved_at, issued_at, approved_at) desc nulls last`,
        t.seq.desc(),
      )
      .where(sql`wallet_proved_at is not null or issued_at is not null`),
    // GET /kyc/status/{pubkey} and GET /attestations?pubkey=; by bytes, so that it also finds prefixes of wallets
    index("attestations_wallet").on(t.workspaceId, t.wallet.op("text_pattern_ops"), t.seq.desc()),
    // The dashboard's search: suffixes of wallets, and prefixes of the customer's own ids
    index("attestations_wallet_end").on(t.workspaceId, sql`right(wallet, 4)`),
    index("attestations_external_id")
      .on(t.workspaceId, sql`lower(external_id) text_pattern_ops`)
      .where(sql`external_id is not null`),
    // An investor's verifications
    index("attestations_investor").on(t.workspaceId, t.investorId, t.seq.desc()),
    // Sessions of a vendor's event
    index("attestations_provider_reference")
      .on(t.provider, t.providerReference)
      .where(sql`provider_reference is not null`),
    // Sessions that have left the check of a vendor's event
    index("attestations_earlier_references")
      .using("gin", t.earlierReferences)
      .where(sql`earlier_references is not null`),
    // Sessions whose vendor must be asked
    index("attestations_ask").on(t.askAt).where(sql`status = 'pending' and ask_at is not null`),
    // Investors who want a reminder, and addresses that are no longer needed
    index("attestations_reminders").on(t.expiresAt).where(sql`reminder_email is not null`),
    // GET /attestations
    index("attestations_newest").on(t.workspaceId, t.seq.desc()),
    // The dashboard's table: of one schema, of one status, from a date on
    index("attestations_schema").on(t.workspaceId, t.schemaId, t.seq.desc()),
    index("attestations_status").on(t.workspaceId, t.status, t.seq.desc()),
    index("attestations_schema_status").on(t.workspaceId, t.schemaId, t.status, t.seq.desc()),
    // `rejected` includes revoked ones, so these are filtered separately
    index("attestations_revoked").on(t.workspaceId, t.seq.desc()).where(sql`revoked_at is not null`),
    index("attestations_rejected")
      .on(t.workspaceId, t.seq.desc())
      .where(sql`status = 'rejected' and revoked_at is null`),
    // GET /kyc/sessions?state=, except what has closed and was not swept yet (`attestations/status.ts` uses this exact text)
    index("attestations_session_state").on(
      t.workspaceId,
      sql`(case when verified_at is not null then 'verified' when status = 'rejected' and revoked_at is null then 'rejected' when status = 'rejected' then 'cancelled' when status = 'expired' then 'expired' when issued_at is not null then 'approved' when event_decision = 'in_review' then 'in_review' else 'open' end)`,
      t.seq.desc(),
    ),
    index("attestations_created").on(t.workspaceId, t.createdAt),
    // Sweep of sessions that closed undecided
    index("attestations_open").on(t.workspaceId, t.openUntil).where(sql`status = 'pending' and open_until is not null`),
    // Sweep of expired attestations
    index("attestations_expiry").on(t.workspaceId, t.expiresAt).where(sql`status in ('pending', 'verified')`),
  ],
)

/** Reminders that a verification expires, each sent once. */
export const renewalNotices = pgTable(
  "renewal_notices",
  {
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    /** How many days before expiry. */
    days: smallint().notNull(),
    createdAt: time("created_at").notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    sentAt: time("sent_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.attestationId, t.days] }),
    refersTo(attestations, t.workspaceId, t.attestationId),
    index("renewal_notices_due").on(t.nextAttemptAt).where(sql`sent_at is null`),
  ],
)

/** What the ledger believes a wallet's credential account holds: the unit of this attestation, or nothing. */
export const credentials = pgTable(
  "credentials",
  {
    workspaceId: text("workspace_id").notNull(),
    schemaId: text("schema_id").notNull(),
    wallet: text().$type<Address>().notNull(),
    attestationId: text("attestation_id"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.schemaId, t.wallet] }),
    // The burn of an attestation's unit
    uniqueIndex("credentials_attestation").on(t.workspaceId, t.attestationId),
    refersTo(attestations, t.workspaceId, t.attestationId),
  ],
)
