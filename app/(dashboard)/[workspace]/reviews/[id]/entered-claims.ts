import type { ClaimName, Claims } from "#shared/claims.ts"

/** Marks in the form that its fields are the claims for the approval. */
export const ENTERED = "claims_entered"

/** The entered claims. Null keeps what the vendor sent. */
export function claimsOf(values: FormData): Claims | null {
  if (!values.has(ENTERED)) return null
  const country = String(values.get("claims.country") ?? "")
  const flag = (name: ClaimName) => {
    const value = values.get(`claims.${name}`)
    return value === "yes" ? true : value === "no" ? false : undefined
  }
  const age_over_18 = flag("age_over_18")
  const accredited = flag("accredited")
  return {
    ...(country && { country }),
    ...(age_over_18 !== undefined && { age_over_18 }),
    ...(accredited !== undefined && { accredited }),
  }
}
