import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
  foreignKey,
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
import { workspaces } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

/** What can be verified, and for how long it holds. */
export const schemas = pgTable(
  "schemas",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    id: text().notNull(),
    name: text().notNull(),
    validityDays: integer("validity_days").notNull(),
    /** Whether the investor has to prove that the wallet is theirs; null where the provider decides (`schemas/proof-required.ts`). */
    walletProof: boolean("wallet_proof"),
    /** How many days before the end investors are reminded; none where it is empty. */
    reminderDays: integer("reminder_days").array().notNull().default(sql`'{30,7,1}'`),
    /** Address of the credential's Token-2022 mint, once an operation to create it is in the ledger. */
    credentialMint: text("credential_mint"),
    /** The key that the mint obeys; null until there is a mint. */
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
 * A person, with any number of wallets. The customer's own id names one; whoever has none is known by one wallet, until
 * a session of that wallet brings an id.
 */
export const investors = pgTable(
  "investors",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    id: text().notNull(),
    /** Orders those that came at the same time; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    externalId: text("external_id"),
    /** Of one who never had an external id: the only wallet. */
    wallet: text().$type<Address>(),
    /** Another investor, who turned out to be the same person. */
    mergedInto: text("merged_into"),
    createdAt: time("created_at").notNull(),
    /** When everything personal was erased. */
    erasedAt: time("erased_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    foreignKey({ columns: [t.workspaceId, t.mergedInto], foreignColumns: [t.workspaceId, t.id] }),
    uniqueIndex("investors_external_id").on(t.workspaceId, t.externalId).where(sql`external_id is not null`),
    // Of two sessions of a new wallet that begin at once, one finds the investor of the other.
    uniqueIndex("investors_one_of_wallet")
      .on(t.workspaceId, t.wallet)
      .where(sql`external_id is null and merged_into is null`),
    // The migration makes one more, investors_external_id_words, if the host has pg_trgm.
    // Those that an investor's merging takes along
    index("investors_merged").on(t.workspaceId, t.mergedInto).where(sql`merged_into is not null`),
    // GET /investors
    index("investors_newest").on(t.workspaceId, t.seq.desc()).where(sql`merged_into is null`),
  ],
)

/**
 * One verification of one wallet, from its session to its end. The session is part of it: they begin
 * together, and neither exists without the other.
 */
export const attestations = pgTable(
  "attestations",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    /** Orders rows that began at the same time; the cursor of lists. */
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
    /** The vendor's own id of the session, where its page verifies. */
    providerReference: text("provider_reference"),
    /** Those of checks that the vendor opened for it before, as another submission may be another check there. */
    earlierReferences: text("earlier_references").array(),
    /** Address of the vendor's page, sealed with the data key; null where it works once alone. */
    providerLink: bytes("provider_link"),
    /** Until when that address may be opened; null before it is known, and once the vendor has said something. */
    providerLinkUntil: time("provider_link_until"),
    /** Until when the same address takes another submission, which the vendor has requested; null where none does. */
    resumeLinkUntil: time("resume_link_until"),
    /**
     * The language in which the investor first went on to the vendor, ISO 639-1: a vendor that is asked again in
     * another one would refuse the repeat.
     */
    language: text().$type<Language>(),
    /** Until when one process alone asks the vendor about the session. */
    providerCallUntil: time("provider_call_until"),
    /** When the vendor is asked next whether it has decided; null where its decision is not waited for. */
    askAt: time("ask_at"),
    /** How often it was asked in vain. */
    asks: smallint().notNull().default(0),
    redirectUrl: text("redirect_url"),
    /** When an undecided session closes; null once approved, because it then no longer expires. */
    openUntil: time("open_until"),
    /** When the vendor first said that the investor has submitted: from then on the session has 30 days. */
    submittedAt: time("submitted_at"),
    /** Whether its time is over, and it stays open only until its vendor has answered once more; for a day at most. */
    closing: boolean().notNull().default(false),
    consentedAt: time("consented_at"),
    /** Whether an approval waits for the proof that the wallet is the investor's, by the schema as the session began. */
    walletProofRequired: boolean("wallet_proof_required").notNull().default(false),
    walletProvedAt: time("wallet_proved_at"),
    /** Time of an approval that waits for that proof, with its claims; null once it is applied, and where none waits. */
    heldAt: time("held_at"),
    /** The provider event applied last: its own time, its rank at equal times, and what it said. */
    eventAt: time("event_at"),
    eventRank: smallint("event_rank"),
    eventDecision: text("event_decision").$type<Decision>(),
    /** The review that decided it, where a person did and not the provider. */
    reviewId: text("review_id"),
    reviewedAt: time("reviewed_at"),

    /** Time of the provider's approval, fixed before signing. */
    issuedAt: time("issued_at"),
    /** When the approval took effect here; null in rows that are older than this column. */
    approvedAt: time("approved_at"),
    expiresAt: time("expires_at"),
    /** Claims, sealed with the data key; null once erased. */
    claims: bytes(),
    salt: text(),
    commitment: text(),
    /** The ledger's operation that puts it on chain, from the approval on. */
    operationId: text("operation_id"),
    onchainTx: text("onchain_tx"),
    verifiedAt: time("verified_at"),

    endedAt: time("ended_at"),
    revokedAt: time("revoked_at"),
    /** Why it was rejected, revoked or superseded; seen by the customer alone. */
    reason: text(),
    /** The public reason code for the investor; null for the default. */
    publicReason: text("public_reason").$type<PublicReason>(),
    /** Where the investor is reminded before it expires, sealed with the data key, and in which language. */
    reminderEmail: bytes("reminder_email"),
    reminderLanguage: text("reminder_language").$type<Language>(),
    /** When everything personal was erased. */
    erasedAt: time("erased_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    foreignKey({ columns: [t.workspaceId, t.schemaId], foreignColumns: [schemas.workspaceId, schemas.id] }),
    foreignKey({
      columns: [t.workspaceId, t.investorId],
      foreignColumns: [investors.workspaceId, investors.id],
    }),
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
    // One open session and one unit of quota for a person, wallet and schema, under any parallelism. Another person may
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
    // GET /kyc/status/{pubkey} and GET /attestations?pubkey=; by bytes, so that it also finds how wallets begin
    index("attestations_wallet").on(t.workspaceId, t.wallet.op("text_pattern_ops"), t.seq.desc()),
    // The dashboard's search: how wallets end, and how the customer's own ids begin
    index("attestations_wallet_end").on(t.workspaceId, sql`right(wallet, 4)`),
    index("attestations_external_id")
      .on(t.workspaceId, sql`lower(external_id) text_pattern_ops`)
      .where(sql`external_id is not null`),
    // An investor's verifications
    index("attestations_investor").on(t.workspaceId, t.investorId, t.seq.desc()),
    // Sessions that a vendor's event is about
    index("attestations_provider_reference")
      .on(t.provider, t.providerReference)
      .where(sql`provider_reference is not null`),
    // Sessions that left the check which a vendor's event is about
    index("attestations_earlier_references")
      .using("gin", t.earlierReferences)
      .where(sql`earlier_references is not null`),
    // Sessions whose vendor is to be asked
    index("attestations_ask").on(t.askAt).where(sql`status = 'pending' and ask_at is not null`),
    // Investors who want to be reminded, and addresses that are not needed any more
    index("attestations_reminders").on(t.expiresAt).where(sql`reminder_email is not null`),
    // GET /attestations
    index("attestations_newest").on(t.workspaceId, t.seq.desc()),
    // The dashboard's table: of one schema, of one status, from a date on
    index("attestations_schema").on(t.workspaceId, t.schemaId, t.seq.desc()),
    index("attestations_status").on(t.workspaceId, t.status, t.seq.desc()),
    index("attestations_schema_status").on(t.workspaceId, t.schemaId, t.status, t.seq.desc()),
    // `rejected` contains revoked ones too: they are filtered separately
    index("attestations_revoked").on(t.workspaceId, t.seq.desc()).where(sql`revoked_at is not null`),
    index("attestations_rejected")
      .on(t.workspaceId, t.seq.desc())
      .where(sql`status = 'rejected' and revoked_at is null`),
    // GET /kyc/sessions?state=, but for what has closed and was not swept yet (`session-state.ts` asks for this very text)
    index("attestations_session_state").on(
      t.workspaceId,
      sql`(case when verified_at is not null then 'verified' when status = 'rejected' and revoked_at is null then 'rejected' when status = 'rejected' then 'cancelled' when status = 'expired' then 'expired' when issued_at is not null then 'approved' when event_decision = 'in_review' then 'in_review' else 'open' end)`,
      t.seq.desc(),
    ),
    index("attestations_created").on(t.workspaceId, t.createdAt),
    // Sweep of sessions that closed undecided
    index("attestations_open")
      .on(t.workspaceId, t.openUntil)
      .where(sql`status = 'pending' and open_until is not null`),
    // Sweep of expired attestations
    index("attestations_expiry").on(t.workspaceId, t.expiresAt).where(sql`status in ('pending', 'verified')`),
  ],
)

/** Reminders that a verification expires: each once. */
export const renewalNotices = pgTable(
  "renewal_notices",
  {
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    /** How many days before the end. */
    days: smallint().notNull(),
    createdAt: time("created_at").notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    sentAt: time("sent_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.attestationId, t.days] }),
    foreignKey({
      columns: [t.workspaceId, t.attestationId],
      foreignColumns: [attestations.workspaceId, attestations.id],
    }),
    index("renewal_notices_due").on(t.nextAttemptAt).where(sql`sent_at is null`),
  ],
)

/** What the ledger believes that a wallet's credential account holds: the unit of this attestation, or nothing. */
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
    foreignKey({
      columns: [t.workspaceId, t.attestationId],
      foreignColumns: [attestations.workspaceId, attestations.id],
    }),
  ],
)
