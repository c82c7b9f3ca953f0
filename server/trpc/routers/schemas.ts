import { z } from "zod"
import * as schemas from "#domain/schemas"
import { readSchemaUse } from "#server/dashboard/schema-use.ts"
import { matching, wholeNumber } from "#server/lib/fields.ts"
import { nameText } from "#server/lib/text.ts"
import { endpointsIn, memberProcedure, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Schemas")

const id = matching(
  /^[a-z][a-z0-9_]{2,63}$/,
  "must be 3 to 64 characters of a-z, 0-9 and _, starting with a letter",
).meta({ description: "The schema's id, which cannot change", example: "residency_v1" })
const fields = {
  name: nameText(100).meta({
    description: "Display name. Its first 160 bytes are written on chain with the first attestation",
    example: "Residency",
  }),
  validity_days: wholeNumber(1, 3650).meta({
    description: "Days that a verification is valid, from the provider's decision",
    example: 180,
  }),
  wallet_proof: z.boolean().nullable().meta({
    description:
      "Whether investors must prove with a signature that the wallet is theirs. Null leaves it to the provider: required for real people, not in tests",
    example: true,
  }),
  reminder_days: z
    .array(wholeNumber(1, 365))
    .max(5)
    // Longest first, without duplicates.
    .transform((days) => [...new Set(days)].sort((one, other) => other - one))
    .meta({
      description:
        "How many days before the expiry Vouch sends attestation.expiring and reminds investors who want it: at most five",
      example: [30, 7],
    }),
}

/** Without the fields that were not sent. */
const sent = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }

export const schemaRouter = router({
  list: endpoint("GET /schemas", {
    summary: "List schemas",
    description: "The schemas of the workspace: what is verified, and how long a verification is valid. Newest first.",
    output: z.object({ data: z.array(schemas.schemaRecord) }).meta({ id: "VerificationSchemaList" }),
  }).query(async ({ ctx }) => ({ data: await schemas.listSchemas(ctx.principal) })),

  get: endpoint("GET /schema/{id}", {
    fails: ["schema_not_found"],
    summary: "Get a schema",
    description: "Returns the schema with its settings.",
    input: z.object({ id: schemas.schemaInPath }),
    output: schemas.schemaDetail,
  }).query(({ ctx, input }) => schemas.getSchema(ctx.principal, input.id)),

  create: endpoint("POST /schemas", {
    scope: "schema:write",
    fails: ["schema_exists"],
    summary: "Create a schema",
    description: `Creates a schema that sessions can use. Its credential is created on chain with the first attestation. A workspace can have ${schemas.MAX_SCHEMAS}.`,
    input: z.object({
      id,
      ...fields,
      wallet_proof: fields.wallet_proof.default(null),
      reminder_days: fields.reminder_days.default([30, 7, 1]),
    }),
    output: schemas.schemaDetail,
  }).mutation(({ ctx, input: { id, ...fields } }) => schemas.createSchema({ ...ctx, id, fields })),

  change: endpoint("PATCH /schema/{id}", {
    scope: "schema:write",
    fails: ["schema_not_found"],
    summary: "Change a schema",
    description:
      "Changes the fields that you send. Changes apply to decisions from now on: issued credentials keep their expiry, which is on chain. A changed `wallet_proof` applies to sessions started from now on.",
    input: z.object({ id: schemas.schemaInPath, ...z.object(fields).partial().shape }),
    output: schemas.schemaDetail,
  }).mutation(({ ctx, input: { id, ...fields } }) => schemas.changeSchema({ ...ctx, id, fields: sent(fields) })),

  /** With its use, for the dashboard. */
  view: memberProcedure
    .input(z.object({ id: schemas.schemaInPath }))
    .query(({ ctx, input }) => readSchemaUse(ctx.principal, input.id)),

  /** For the dashboard. */
  summary: memberProcedure
    .input(z.object({}))
    .query(async ({ ctx }) => ({ data: await schemas.summariseSchemas(ctx.principal) })),
})
