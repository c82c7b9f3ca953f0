/** The schemas that every workspace starts with (`validity_days` counts from the provider's decision). */
export const builtInSchemas = [
  { id: "kyc_individual_v1", name: "Individual identity", validity_days: 365 },
  { id: "kyc_business_v1", name: "Business identity", validity_days: 365 },
  { id: "accredited_investor_v1", name: "Accredited investor", validity_days: 90 },
]
