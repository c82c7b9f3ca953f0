/** The scopes of a key, with their descriptions in the dashboard and the API reference. */
export const scopes = {
  "kyc:read": "Read the status of a wallet and sessions",
  "kyc:write": "Start and cancel verification sessions",
  "investor:erase": "Erase the data about an investor",
  "investor:recover": "Report a wallet as lost, and move its tokens to another wallet of its investor",
  "attestation:read": "Read attestations",
  "attestation:write": "Revoke attestations",
  "token:read": "Read token operations and balances",
  "token:mint": "Mint tokens",
  "token:transfer": "Transfer tokens",
  "token:burn": "Redeem (burn) tokens of any wallet",
  "register:write": "Take snapshots of the register",
  "distribution:write": "Pay distributions to holders",
  "token:control": "Force transfers, freeze wallets and hold tokens",
  "config:write": "Create, change and pause mint configurations",
  "schema:write": "Create and change schemas",
  "events:read": "Read events and webhook deliveries",
  "webhooks:write": "Manage webhook endpoints",
} as const

export type Scope = keyof typeof scopes

export const allScopes = Object.keys(scopes) as Scope[]

export const isScope = (value: string): value is Scope => Object.hasOwn(scopes, value)

/** Permissions of members only: `review:write` decides reviews, `claims:read` sees the claims of a person. */
export type Permission = Scope | "key:write" | "member:write" | "review:write" | "claims:read"
