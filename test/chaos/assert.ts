/** Throws unless `claim` holds. */
export function assert(claim: boolean, otherwise: () => string): asserts claim {
  if (!claim) throw new Error(otherwise())
}
