import { matching, NAME } from "#server/lib/fields.ts"

/** The id of a schema. An id that no schema can have is unknown_schema too. */
export const schemaId = matching(NAME, "is not a schema of this workspace", "unknown_schema").meta({
  description: "Schema id",
  example: "kyc_individual_v1",
})
