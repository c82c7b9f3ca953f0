import type { NamesIn, TableName, TableRow } from "#db/rows.ts"
import { type Facts, facts, type PersonalColumn, plainColumns } from "#domain/attestations"
import { keptDays } from "#shared/retention.ts"

/** What a column stores about an investor. Null: nothing. A text: what it is. `stays`: not erased. */
type Column = null | string | { stays: string }

type InvestorTable = { of: "investors"; what: string; kept: string; columns: Record<string, Column> }
/** A table about people who sign in (`members`), or about no one (`none`), described as a whole. */
type OtherTable = { of: "members" | "none"; what: string }
export type Kept = InvestorTable | OtherTable

/**
 * A table with data about investors. `plain` lists the columns that say nothing about a person: ids, states, times and
 * the like. A new column does not compile until it is there or in `says`.
 */
const ofInvestors = <Name extends TableName, const Plain extends string>(
  _name: Name,
  table: {
    what: string
    /** How long rows are kept, and what deletes them earlier. */
    kept: string
    says: Record<Exclude<keyof TableRow<Name> & string, NamesIn<Plain>>, string | { stays: string }>
    plain: readonly Plain[]
  },
): InvestorTable => {
  const { what, kept, says, plain } = table
  const nothing = plain.flatMap((list) => list.split(", ").map((column) => [column, null]))
  return { of: "investors", what, kept, columns: { ...says, ...Object.fromEntries(nothing) } }
}

/** The address is public on chain, and the register of holders depends on it. */
const wallet = { stays: "the wallet's address" }

const ofAttestations = Object.fromEntries(
  Object.entries<Facts>(facts).flatMap(([column, { personal }]) => (personal ? [[column, personal]] : [])),
) as Record<PersonalColumn, string>

/** Every table and what it stores about people. `npm run privacy:write` writes docs/privacy.md from it. */
export const kept = {
  attestations: ofInvestors("attestations", {
    what: "One verification of one wallet, with its session",
    kept: "The row indefinitely, because the quota and the ledger depend on it; personal data until erased",
    says: { wallet, investor_id: { stays: "ties the wallets of one person" }, ...ofAttestations },
    plain: [...plainColumns, "session_id"],
  }),
  investors: ofInvestors("investors", {
    what: "A person with any number of wallets",
    kept: "The row indefinitely, personal data until erased",
    says: {
      external_id: "your id for the investor",
      wallet: "the wallet's address, if there is no external id",
    },
    plain: ["workspace_id, id, seq, merged_into, created_at, erased_at"],
  }),
  investor_notes: ofInvestors("investor_notes", {
    what: "Your members' notes about an investor",
    kept: "Until deleted or erased",
    says: { body: "the note; sealed" },
    plain: ["workspace_id, id, seq, investor_id, author_id, author_name, created_at, edited_at"],
  }),
  reviews: ofInvestors("reviews", {
    what: "Decisions about a person that your members made or must make",
    kept: "The row indefinitely, personal data until erased",
    says: {
      wallet,
      claims: "claims that arrived without a decision; sealed",
      approved_claims: "claims of an approval that waits to be confirmed; sealed",
      decision: { stays: "what was decided" },
      reason: "your member's reason; sealed",
      public_reason: "the code that the investor sees",
    },
    plain: [
      "workspace_id, id, seq, kind, subject, attestation_id, investor_id, opened_at, found_at, high_from",
      "urgent_from, version, assignee, state, requested_by, requested_at, decided_by, decided_at, ending, closed_at",
      "erased_at",
    ],
  }),
  review_entries: ofInvestors("review_entries", {
    what: "Findings and notes about a person",
    kept: "The row indefinitely, the text until erased",
    says: {
      finding: { stays: "the kind of finding" },
      text: "details, and notes; sealed",
    },
    plain: ["workspace_id, review_id, seq, at, author_id, author_name"],
  }),
  bulk_revocations: ofInvestors("bulk_revocations", {
    what: "Attestations that a member revoked together",
    kept: "Until 30 days after the last one, the reason only until then",
    says: {
      reason: { stays: "your member's reason; emptied once the last one is revoked" },
      filter: "the filter by which they were selected; the text of a search that names the person is erased",
    },
    plain: [
      "workspace_id, id, public_reason, attestations, seen, author_id, author_name, canceller_name",
      "request_id, created_at, ended_at",
    ],
  }),
  saved_filters: ofInvestors("saved_filters", {
    what: "Filters of lists that members saved",
    kept: "Until deleted, or until the member leaves",
    says: {
      name: { stays: "the name that your member chose" },
      filter:
        "what it searches for; deleted with the row if that names the person, or has words of no one else's external id",
    },
    plain: ["workspace_id, user_id, id, list, created_at"],
  }),
  renewal_notices: ofInvestors("renewal_notices", {
    what: "Reminders that were sent before a verification expires",
    kept: "Until the row is erased with the attestation",
    says: { sent_at: "when the mail was sent" },
    plain: ["workspace_id, attestation_id, days, created_at, attempts, next_attempt_at"],
  }),
  events: ofInvestors("events", {
    what: "Events, as your systems receive them",
    kept: "90 days",
    says: { data: wallet },
    plain: ["workspace_id, sequence, id, type, occurred_at, generation"],
  }),
  staged_events: ofInvestors("staged_events", {
    what: "Events in the fraction of a second before they get their number",
    kept: "Less than a second",
    says: { data: wallet },
    plain: ["seq, workspace_id, type, occurred_at"],
  }),
  expiry_notices: ofInvestors("expiry_notices", {
    what: "That the event of an expiring verification was sent",
    kept: "The row indefinitely",
    says: {},
    plain: ["workspace_id, attestation_id, days"],
  }),
  sandbox_submissions: ofInvestors("sandbox_submissions", {
    what: "What was entered in the sandbox's form",
    kept: "The row indefinitely, the claims until they are delivered, seconds later",
    says: {
      decision: { stays: "what was chosen in the form" },
      claims: "the answers; sealed",
    },
    plain: ["workspace_id, attestation_id, event_id, occurred_at, attempts, next_attempt_at, delivered_at"],
  }),
  webhook_events: ofInvestors("webhook_events", {
    what: "Applied events of providers, to recognise repeats",
    kept: `${keptDays.webhookEvents} days, or until erased`,
    says: { event_id: "the vendor's id of the event" },
    plain: ["mode, provider, workspace_id, attestation_id, outcome, received_at"],
  }),
  operations: ofInvestors("operations", {
    what: "Operations on chain, done or refused; after 90 days in `archived_operations`",
    kept: "Forever",
    says: {
      payload: { stays: "ids and amounts" },
      writes: { stays: "addresses" },
      reads: { stays: "addresses" },
      wallet,
      from_wallet: wallet,
      error_code: { stays: "why it was refused, as a code" },
      error_detail: "why it was refused; may name a country",
      traceparent: { stays: "random ids of a trace" },
    },
    plain: [
      "workspace_id, id, seq, kind, status, mint_config, signature, attempts, alone, urgent, redo",
      "expiries, fee, rent, not_before, created_at, finished_at",
    ],
  }),
  approvals: ofInvestors("approvals", {
    what: "Requests that further members had to approve",
    kept: "Forever",
    says: {
      subject: { stays: "an id" },
      request: "your reasons. Addresses, ids, amounts and your reference stay",
      requester: { stays: "the member or key that made the request" },
      requesters: { stays: "ids of members" },
      given: { stays: "the members who approved it" },
      reason: { stays: "why your member rejected it" },
      outcome: { stays: "why a rule refused it, without claims" },
    },
    plain: [
      "workspace_id, id, seq, action, digest, policy_id, needed, roles, request_id, state, ended_by, created_at",
      "expires_at, ended_at, operation_id",
    ],
  }),
  idempotency_records: ofInvestors("idempotency_records", {
    what: "Stored answers to requests with an Idempotency-Key",
    kept: "24 hours, or until erased",
    says: {
      idempotency_key: { stays: "your client's choice; deleted within 24 hours" },
      body: "the answer",
    },
    plain: ["workspace_id, key_id, fingerprint, subject, status, created_at, erased"],
  }),
  api_requests: ofInvestors("api_requests", {
    what: "The request log, with personal fields masked",
    kept: `${keptDays.requests} days, or until erased: earlier rows that name the wallet or its attestations are deleted`,
    says: {
      path: "may name the wallet",
      headers: "what your client sends about itself",
      request_body: "the request, masked",
      response_body: "the answer, masked",
    },
    plain: ["workspace_id, id, at, method, status, error_code, duration_us, key_id"],
  }),
  audit_entries: ofInvestors("audit_entries", {
    what: "The audit log: who changed what, and when. It never contains reasons or other personal data of investors",
    kept: "Indefinitely; the database refuses to change or delete an entry",
    says: {
      actor_name: { stays: "the member or key that did it" },
      subject: { stays: "an id, or the wallet's address" },
      detail: { stays: "ids, addresses, amounts and settings" },
    },
    plain: ["account_id, seq, workspace_id, at, actor, actor_id, action, request_id"],
  }),
  credentials: ofInvestors("credentials", {
    what: "What each wallet's credential account on chain holds, by Vouch's books",
    kept: "Forever",
    says: { wallet },
    plain: ["workspace_id, schema_id, attestation_id"],
  }),
  investor_slots: ofInvestors("investor_slots", {
    what: "Whom the limits by investor of a token count",
    kept: "While the investor holds the token; erased with the person",
    says: {
      investor: "the investor, or the wallet's address if no one is known to stand behind it",
      lender: "the investor who gives everything to this one, while that is under way",
    },
    plain: ["workspace_id, mint_config, attestation_id, lent_by, lender_attestation_id"],
  }),
  holdings: ofInvestors("holdings", {
    what: "The holders: how much of each token each wallet has",
    kept: "Forever",
    says: {
      wallet,
      balance: { stays: "how many tokens" },
      investor: "the investor, if the token has limits by investor; then the wallet's address",
    },
    plain: ["workspace_id, mint_config, incoming, outgoing, held, lotted, counted, posted"],
  }),
  postings: ofInvestors("postings", {
    what: "The books of each token: every change of a wallet's balance",
    kept: "Forever: they show who held the token at any time, and the chain shows the same",
    says: {
      wallet,
      balance: { stays: "how many tokens it had then" },
      landed_at: { stays: "when it changed" },
    },
    plain: ["workspace_id, mint_config, seq, delta, held_delta, held, operation_id, slot"],
  }),
  holder_movements: ofInvestors("holder_movements", {
    what: "What holders of a token moved themselves, without Vouch",
    kept: "Forever, like the books, which it completes",
    says: {
      wallet,
      delta: { stays: "how many tokens it sent or received" },
      landed_at: { stays: "when it did" },
      signature: { stays: "the transaction on the public chain" },
    },
    plain: ["workspace_id, mint_config, seq, slot"],
  }),
  lots: ofInvestors("lots", {
    what: "When and under which exemption each wallet acquired the tokens that it holds",
    kept: "While the wallet holds them",
    says: {
      wallet,
      units: { stays: "how many tokens" },
      acquired_at: { stays: "since when the wallet has them" },
      exemption: { stays: "the exemption under which they were issued" },
    },
    plain: ["workspace_id, id, seq, mint_config, parent, operation_id"],
  }),
  holds: ofInvestors("holds", {
    what: "Parts of a wallet's balance that your workspace holds",
    kept: "Forever, even after an erasure: the order that they were placed for still binds you",
    says: {
      wallet,
      amount: { stays: "how many tokens" },
      reason_code: { stays: "why they are held, as a code" },
      reference: { stays: "your reference, which must not contain personal data" },
    },
    plain: [
      "workspace_id, id, seq, mint_config, remaining, taking, state, expires_at, account, operation_id, created_at",
      "next_account, ended_at",
    ],
  }),
  recoveries: ofInvestors("recoveries", {
    what: "Wallets that were reported as lost, and where their tokens moved",
    kept: "Forever, even after an erasure: a lost wallet stays barred",
    says: {
      investor_id: { stays: "whose wallets they are" },
      lost_wallet: wallet,
      new_wallet: wallet,
      reason_code: { stays: "why, as a code" },
      reference: { stays: "your reference, which must not contain personal data" },
      document_sha256: { stays: "SHA-256 of your document" },
      error_detail: { stays: "why it failed, without claims" },
    },
    plain: [
      "workspace_id, id, seq, state, barred_at, approval_id, error_code, actor, actor_id, created_at, begun_at, ended_at",
    ],
  }),
  payouts: ofInvestors("payouts", {
    what: "What distributions owe and paid to wallets",
    kept: "Forever, even after an erasure: what was paid is accounted for",
    says: {
      wallet,
      investor_id: { stays: "who owned the wallet when the distribution was created" },
      units: { stays: "how many tokens it held on the record date" },
      amount: { stays: "what it gets" },
      paid_to: { stays: "the wallet that got it instead, if the holder's was lost" },
      withheld_detail: { stays: "why it cannot be paid, without claims" },
      external_reference: { stays: "your reference of a payment, which must not contain personal data" },
    },
    plain: ["workspace_id, id, distribution_id, operation_id, withheld_code, paid_at"],
  }),
  wallet_freezes: ofInvestors("wallet_freezes", {
    what: "Wallets that your workspace has frozen",
    kept: "Until unfrozen, even after an erasure: the order that froze the wallet still binds you",
    says: {
      wallet,
      reason_code: { stays: "why it is frozen, as a code" },
      reference: { stays: "your reference, which must not contain personal data" },
    },
    plain: ["workspace_id, mint_config, actor, actor_id, frozen_at"],
  }),
  erasures: ofInvestors("erasures", {
    what: "That a person was erased, and when",
    kept: "Forever",
    says: { wallets: wallet },
    plain: ["workspace_id, id, seq, investor_id, attestations, revoked, erased_at, requests_until, requests_cleared"],
  }),
  vendor_redactions: ofInvestors("vendor_redactions", {
    what: "Requests to vendors to delete data",
    kept: "The row indefinitely, the vendor's id until it has deleted the data",
    says: {
      reference: {
        stays: "the vendor's id of the check, sealed, until the vendor has deleted its data",
      },
    },
    plain: ["workspace_id, id, erasure_id, provider, status, attempts, next_attempt_at, done_at"],
  }),
  screening_hits: ofInvestors("screening_hits", {
    what: "Wallets on a list, such as a sanctions list",
    kept: "Indefinitely: a listed wallet stays refused, even after an erasure",
    says: {
      wallet,
      list: { stays: "which list the wallet is on" },
      frozen_at: { stays: "since when its tokens are frozen because of it" },
      cleared_at: { stays: "when a member cleared it as a false match" },
      gone_at: { stays: "when the wallet left the list" },
    },
    plain: ["workspace_id, digest, entries, loaded_at, found_at, review_id"],
  }),

  // Tables without data about investors: about people who sign in, or about no one.
  users: { of: "members", what: "Names and email addresses of your members" },
  user_sessions: {
    of: "members",
    what: "Who is signed in, with address and browser; until sign-out or expiry",
  },
  user_credentials: { of: "members", what: "Passwords, as scrypt" },
  user_two_factors: { of: "members", what: "Authenticators and backup codes; sealed" },
  user_passkeys: { of: "members", what: "Public keys of passkeys" },
  user_verifications: { of: "members", what: "Unfinished sign-ins; minutes" },
  user_links: { of: "members", what: "Hashes of mailed links; at most a day" },
  auth_rate_limits: { of: "members", what: "How often an address tried to sign in; minutes" },
  mail_counts: { of: "members", what: "How many mails an address, as a hash, has received; a day" },
  members: { of: "members", what: "Who belongs to which account, in which role" },
  notifications: { of: "members", what: "Who was mailed about what; 60 days" },
  invitations: { of: "members", what: "Who was invited, with the email address" },
  accounts: { of: "none", what: "Your company's name, plan and settings" },
  workspaces: { of: "none", what: "Workspaces and their settings" },
  approval_policies: { of: "none", what: "What needs the approval of further members" },
  api_keys: { of: "none", what: "API keys, and which member created each" },
  key_secrets: { of: "none", what: "Hashes of keys' secrets, and which member saw them" },
  bulk_revocation_items: { of: "none", what: "Which attestations were revoked together; 30 days" },
  schemas: { of: "none", what: "What can be verified" },
  mint_configs: { of: "none", what: "Tokens and their rules" },
  snapshots: { of: "none", what: "Record dates, with the hash of who held a token then" },
  distributions: { of: "none", what: "What you pay to the holders of a token, and the wallets that you excluded" },
  holder_periods: {
    of: "none",
    what: "When holders could move a token themselves, and how far their movements are recorded",
  },
  key_usage: { of: "none", what: "How many requests each API key made on each day" },
  request_log_usage: { of: "none", what: "How much the request log has stored today" },
  audit_chains: { of: "none", what: "How far the audit log is linked" },
  audit_links: { of: "none", what: "The hash chain of the audit log: a hash for each entry" },
  audit_anchors: { of: "none", what: "Which hashes of the audit log are on chain" },
  change_counts: { of: "none", what: "How many changes API keys made today" },
  event_generations: {
    of: "none",
    what: "Runs of the database's server in which events got their sequence numbers",
  },
  event_counters: { of: "none", what: "How many events there are" },
  webhook_endpoints: { of: "none", what: "Addresses of your systems that receive events; secrets sealed" },
  webhook_deliveries: { of: "none", what: "Which events they received; 90 days" },
  webhook_attempts: { of: "none", what: "What they answered; 30 days" },
  webhook_hours: { of: "none", what: "How many attempts they accepted in each hour; 30 days" },
  usage_periods: { of: "none", what: "How much of a quota is used" },
  transactions: {
    of: "none",
    what: "Transactions, which are public; after 90 days in `archived_transactions`",
  },
  chain_costs: { of: "none", what: "What transactions cost" },
  paid_accounts: { of: "none", what: "Token accounts on chain that were paid for" },
  wallet_challenges: { of: "none", what: "What a wallet must sign; minutes" },
  screening_lists: { of: "none", what: "Lists for screening wallets" },
  screening_list_parts: { of: "none", what: "The lists' entries: public addresses" },
  screenings: { of: "none", what: "How far the comparison of wallets with a list has come" },
  ledger_leases: { of: "none", what: "Which worker signs" },
  chains: { of: "none", what: "Which chain a mode is on" },
  fee_payers: { of: "none", what: "Addresses that pay" },
  signer_keys: { of: "none", what: "Where signing keys are" },
  derived_keys: { of: "none", what: "Addresses with which this deployment pays and creates mints" },
  workspace_authorities: { of: "none", what: "Addresses that issue" },
  workspace_fee_payers: { of: "none", what: "Addresses that pay" },
  quarantines: { of: "none", what: "What a restore could not explain, as addresses and signatures" },
  audits: { of: "none", what: "When the chain was last compared with the database" },
  workers: { of: "none", what: "Heartbeats of the server's processes" },
} as const satisfies { [Name in TableName]: Kept }
