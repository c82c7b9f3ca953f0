import { z } from "zod"
import { sql } from "#db/client.ts"
import { changeSchema, createSchema } from "#server/domain/kyc/schemas/change.ts"
import { summariseSchemas } from "#server/domain/kyc/schemas/summary.ts"
import { requiredFor } from "#server/domain/kyc/wallet-proof/required.ts"
import { named, timestamp, wholeNumber } from "#server/lib/fields.ts"
import { nameText } from "#server/lib/text.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { memberProcedure, procedure, router } from "#server/trpc/trpc.ts"

const schemaRecord = z
  .object({
    id: named.meta({ description: "Schema id, as used in schemaId", example: "kyc_individual_v1" }),
    name: z.string().meta({ description: "Display name", example: "Individual identity" }),
    validity_days: z.number().int().meta({ description: "Days from the provider's decision", example: 365 }),
    wallet_proof: z.boolean().meta({
      description:
        "Whether sessions that begin now ask the investor to prove, by a signature, that the wallet is theirs",
      example: true,
    }),
    created_at: timestamp,
  })
  .meta({ id: "VerificationSchema" })

const name = nameText(100)
const validityDays = wholeNumber(1, 3650)
/** Null leaves it to the provider: asked of real people, and not in tests. */
const walletProof = z.boolean().nullable()
/** The longest first; each once. */
const reminderDays = z
  .array(wholeNumber(1, 365))
  .max(5)
  .transform((days) => [...new Set(days)].sort((one, other) => other - one))

export const schemaRouter = router({
  list: procedure
    .meta({
      openapi: {
        method: "GET",
        path: "/schemas",
        tags: ["Schemas"],
        summary: "List schemas",
        description: "What this workspace can verify, and how long a verification is valid. Newest first.",
      },
    })
    .input(z.object({}))
    .output(z.object({ data: z.array(schemaRecord) }).meta({ id: "VerificationSchemaList" }))
    .query(async ({ ctx }) => {
      const { workspaceId, mode } = ctx.principal
      const rows = await sql<
        {
          id: string
          name: string
          validity_days: number
          wallet_proof: boolean | null
          created_at: Date
        }[]
      >`
        select id, name, validity_days, wallet_proof, created_at from schemas
        where workspace_id = ${workspaceId} order by created_at desc, id`
      return {
        data: rows.map((row) => ({
          ...row,
          wallet_proof: requiredFor(mode, row.id, row.wallet_proof),
          created_at: toTimestamp(row.created_at),
        })),
      }
    }),

  /** As the dashboard shows them. */
  summary: memberProcedure
    .input(z.object({}))
    .output(
      z.object({
        data: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            validity_days: z.number().int(),
            created_at: timestamp,
            wallet_proof: z.boolean(),
            wallet_proof_setting: z.boolean().nullable(),
            reminder_days: z.array(z.number().int()),
            verified: z.object({ count: z.number().int(), more: z.boolean() }),
          }),
        ),
      }),
    )
    .query(async ({ ctx }) => ({ data: await summariseSchemas(ctx.principal) })),

  create: memberProcedure
    .meta({ scope: "schema:write" })
    .input(
      z.object({
        id: z.string().regex(/^[a-z][a-z0-9_]{2,63}$/, "must be 3 to 64 of a-z, 0-9 and _, a letter first"),
        name,
        validity_days: validityDays,
        wallet_proof: walletProof.default(null),
        reminder_days: reminderDays.default([30, 7, 1]),
      }),
    )
    .output(z.object({ id: z.string() }))
    .mutation(async ({ ctx, input: { id, ...fields } }) => {
      const { principal, requestId } = ctx
      await createSchema({
        workspaceId: principal.workspaceId,
        id,
        fields,
        author: { principal, requestId },
      })
      return { id }
    }),

  change: memberProcedure
    .meta({ scope: "schema:write" })
    .input(
      z.object({
        id: z.string().max(64),
        name: name.optional(),
        validity_days: validityDays.optional(),
        wallet_proof: walletProof.optional(),
        reminder_days: reminderDays.optional(),
      }),
    )
    .output(
      z.object({
        id: z.string(),
        name: z.string(),
        validity_days: z.number().int(),
        wallet_proof: z.boolean().nullable(),
        reminder_days: z.array(z.number().int()),
      }),
    )
    .mutation(async ({ ctx, input: { id, name, validity_days, wallet_proof, reminder_days } }) => {
      const { principal, requestId } = ctx
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(validity_days === undefined ? {} : { validity_days }),
        ...(wallet_proof === undefined ? {} : { wallet_proof }),
        ...(reminder_days === undefined ? {} : { reminder_days }),
      }
      const changed = await changeSchema({
        workspaceId: principal.workspaceId,
        id,
        fields,
        author: { principal, requestId },
      })
      return { id, ...changed }
    }),
})
