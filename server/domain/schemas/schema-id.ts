import { matching, NAME } from "#server/lib/fields.ts"

/** The id of a schema. One that does not exist is unknown_schema, whatever it looks like. */
export const schemaId = matching(NAME, "is not a schema of this workspace", "unknown_schema").meta({
  description: "Schema id",
  example: "kyc_individual_v1",
})
