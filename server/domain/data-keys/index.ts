// Data keys: seals again with the first key what an older one sealed.

/** Changing the key. */
export { resealAll } from "./reseal.ts"
