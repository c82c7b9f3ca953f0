// Finding people by what members type: words of their external id, parts of a wallet, or an id.

export { searchText } from "./text.ts"
export { hasWords, wordsOf } from "./words.ts"
export { type Match, walletsLike } from "./wallets.ts"
export { investorsNamed, type NamedPeople, readNamed } from "./named.ts"
export { resolveInvestor } from "./resolve.ts"
export { isOneOf, subjectsNamed } from "./subjects.ts"
