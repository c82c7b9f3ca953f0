type Values = { country: string; flag: boolean }
export type ClaimKind = keyof Values

/** A claim's kind, its label and an example value. */
type Definition = { [Kind in ClaimKind]: { kind: Kind; label: string; example: Values[Kind] } }[ClaimKind]

/**
 * The facts about a person that a provider may report and a rule may use. Vouch stores no others. Webhooks read only
 * these, the request log masks them, and the hosted page names them.
 */
export const claims = {
  /** ISO 3166-1 alpha-2, or XK for Kosovo. */
  country: { kind: "country", label: "country", example: "US" },
  age_over_18: { kind: "flag", label: "over 18", example: true },
  accredited: { kind: "flag", label: "accredited", example: false },
} as const satisfies Record<string, Definition>

export type ClaimName = keyof typeof claims
/** The known claims of one person. */
export type Claims = { [Name in ClaimName]?: Values[(typeof claims)[Name]["kind"]] | undefined } & {
  /** A vendor's country code for no country, such as XXA (stateless). People see it, and no rule reads it. */
  unknown_country?: string | undefined
}

export const claimNames = Object.keys(claims) as ClaimName[]

/** The claims on which reports about one person differ. */
export const contradictions = (reports: readonly Claims[]): ClaimName[] =>
  claimNames.filter((name) => {
    const values = reports.map((report) => report[name]).filter((value) => value !== undefined)
    return new Set<unknown>(values).size > 1
  })

/** Whether two reports about a person are equal. */
export const areSameClaims = (one: Claims, other: Claims): boolean =>
  [...claimNames, "unknown_country" as const].every((name) => one[name] === other[name])

/** Builds a value for each claim from its definition. */
export const mapClaims = <T>(make: (claim: Definition) => T): Record<ClaimName, T> =>
  Object.fromEntries(claimNames.map((name) => [name, make(claims[name])])) as Record<ClaimName, T>

export const exampleClaims = mapClaims(({ example }) => example) as Claims
