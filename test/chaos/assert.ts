/** Throws unless `claim` holds. */
export function must(claim: boolean, otherwise: () => string): asserts claim {
  if (!claim) throw new Error(otherwise())
}
