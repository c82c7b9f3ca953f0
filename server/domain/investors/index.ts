// Investors: the person behind one or more wallets.

/** Records and reads. */
export { investorDetail, investorRecord, MOST_WALLETS } from "./record.ts"
export { getInvestor, investorNotFound, listInvestors, requireInvestor } from "./read.ts"
export { type StateRow, statesOf, walletsOf } from "./wallets.ts"
export { viewClaims } from "./claims.ts"

/** Members' notes. */
export { addNote, deleteNote, editNote, listNotes, MAX_NOTE } from "./notes.ts"
