export * from "./accounts.ts"
export * from "./attestations.ts"
export * from "./ledger.ts"
export * from "./tokens.ts"
