// Keys that sign: authorities and fee payers.

/** Authorities. */
export { type AuthorityState, readAuthority, setAuthority } from "./authority.ts"

/** Fee payers. */
export { EmptyFeePayer, type FeePayer, readFeePayers, setFeePayer } from "./fee-payers.ts"
