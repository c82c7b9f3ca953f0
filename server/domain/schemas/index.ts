// Schemas: what a verification checks and whom it admits.

/** Records and reads. */
export { getSchema, listSchemas, schemaDetail, schemaInPath, schemaRecord, schemaId, requireSchema } from "./record.ts"
export { summariseSchemas } from "./summary.ts"

/** Changes and defaults. */
export { changeSchema, createSchema, MAX_SCHEMAS } from "./change.ts"
export { builtInSchemas } from "./built-in.ts"
export { requireChosenSchemas } from "./chosen.ts"
export { requiredByDefault } from "./proof-required.ts"
