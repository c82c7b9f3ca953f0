type Values = { country: string; flag: boolean }
export type ClaimKind = keyof Values

/** What a claim is: how it is read, what people call it, and what examples say. */
type Definition = { [Kind in ClaimKind]: { kind: Kind; label: string; example: Values[Kind] } }[ClaimKind]

/**
 * The facts about a person that a provider may report and a rule may use. Nothing else is stored. Webhooks read these
 * and no others, the request log masks them, and the hosted page names them.
 */
export const claims = {
  /** ISO 3166-1 alpha-2, or XK for Kosovo. */
  country: { kind: "country", label: "country", example: "US" },
  age_over_18: { kind: "flag", label: "over 18", example: true },
  accredited: { kind: "flag", label: "accredited", example: false },
} as const satisfies Record<string, Definition>

export type ClaimName = keyof typeof claims
/** Of one person, as far as they are known. */
export type Claims = { [Name in ClaimName]?: Values[(typeof claims)[Name]["kind"]] | undefined } & {
  /** A vendor's country code that stands for no country, such as XXA (stateless). People see it; no rule reads it. */
  unknown_country?: string | undefined
}

export const claimNames = Object.keys(claims) as ClaimName[]

/** The claims in which reports about one person contradict each other. */
export const contradictions = (reports: readonly Claims[]): ClaimName[] =>
  claimNames.filter((name) => {
    const values = reports.map((report) => report[name]).filter((value) => value !== undefined)
    return new Set<unknown>(values).size > 1
  })

/** Whether two reports say the same of a person. */
export const areSameClaims = (one: Claims, other: Claims): boolean =>
  [...claimNames, "unknown_country" as const].every((name) => one[name] === other[name])

/** A value for each claim, made of its definition. */
export const mapClaims = <T>(make: (claim: Definition) => T): Record<ClaimName, T> =>
  Object.fromEntries(claimNames.map((name) => [name, make(claims[name])])) as Record<ClaimName, T>

export const exampleClaims = mapClaims(({ example }) => example) as Claims
