import type { TableName } from "#db/rows.ts"

/** What is kept of people who sign in, or of nobody: as a whole, with what it is. */
export type OfOthers = { of: "members" | "nobody"; what: string }

/** Tables in which nothing is said of investors. */
export const others = {
  users: { of: "members", what: "Names and email addresses of your members" },
  user_sessions: {
    of: "members",
    what: "Who is signed in, with address and browser; until signed out or over",
  },
  user_credentials: { of: "members", what: "Passwords, as scrypt" },
  user_two_factors: { of: "members", what: "Authenticators and backup codes; sealed" },
  user_passkeys: { of: "members", what: "Public keys of passkeys" },
  user_verifications: { of: "members", what: "Unfinished sign-ins; minutes" },
  user_links: { of: "members", what: "Links that were mailed, as hashes; a day at most" },
  auth_rate_limits: { of: "members", what: "How often an address tried to sign in; minutes" },
  mail_counts: { of: "members", what: "How many mails an address, as a hash, has had; a day" },
  members: { of: "members", what: "Who belongs to which account, in which role" },
  notifications: { of: "members", what: "Who was mailed about what; 60 days" },
  invitations: { of: "members", what: "Who was invited, with the email address" },
  accounts: { of: "nobody", what: "Your company's name, plan and settings" },
  workspaces: { of: "nobody", what: "Workspaces and their settings" },
  api_keys: { of: "nobody", what: "API keys" },
  key_secrets: { of: "nobody", what: "Hashes of keys' secrets, and which member saw them" },
  bulk_revocation_items: { of: "nobody", what: "Which attestations were revoked together; 30 days" },
  schemas: { of: "nobody", what: "What can be verified" },
  mint_configs: { of: "nobody", what: "Tokens and their rules" },
  request_log_usage: { of: "nobody", what: "How much the request log has taken today" },
  event_generations: {
    of: "nobody",
    what: "Runs of the database's server in which events got their numbers",
  },
  event_counters: { of: "nobody", what: "How many events there are" },
  webhook_endpoints: { of: "nobody", what: "Where your systems are told; secrets sealed" },
  webhook_deliveries: { of: "nobody", what: "Which events they have been told; 90 days" },
  webhook_attempts: { of: "nobody", what: "What they answered; 30 days" },
  usage_periods: { of: "nobody", what: "How much of a quota is used" },
  transactions: {
    of: "nobody",
    what: "Transactions, which are public; after 90 days in `archived_transactions`",
  },
  chain_costs: { of: "nobody", what: "What transactions cost" },
  paid_accounts: { of: "nobody", what: "Token accounts on chain that were paid for" },
  wallet_challenges: { of: "nobody", what: "What a wallet is asked to sign; minutes" },
  screening_lists: { of: "nobody", what: "Lists of wallets that are screened by" },
  screening_list_parts: { of: "nobody", what: "What is on them: public addresses" },
  screenings: { of: "nobody", what: "How far wallets have been compared with a list" },
  ledger_leases: { of: "nobody", what: "Which worker signs" },
  chains: { of: "nobody", what: "Which chain a mode is on" },
  fee_payers: { of: "nobody", what: "Addresses that pay" },
  signer_keys: { of: "nobody", what: "Where keys are" },
  workspace_authorities: { of: "nobody", what: "Addresses that issue" },
  workspace_fee_payers: { of: "nobody", what: "Addresses that pay" },
  quarantines: { of: "nobody", what: "What a restore left unexplained, by addresses and signatures" },
  audits: { of: "nobody", what: "When the chain was last compared with the database" },
  workers: { of: "nobody", what: "Signs of life of the server's processes" },
} as const satisfies { [Name in TableName]?: OfOthers }
