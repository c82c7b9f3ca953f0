// Schemas: what a verification checks and whom it admits.

/** Records and reads. */
export {
  getSchema,
  listSchemas,
  requireSchema,
  schemaDetail,
  schemaId,
  schemaInPath,
  schemaRecord,
  summariseSchemas,
} from "./record.ts"

/** Changes and defaults. */
export { changeSchema, createSchema, MAX_SCHEMAS } from "./change.ts"
export { builtInSchemas } from "./built-in.ts"
export { requireChosenSchemas } from "./chosen.ts"
export { requiredByDefault } from "./proof-required.ts"
