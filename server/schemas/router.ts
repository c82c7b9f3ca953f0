import { z } from "zod"
import { sql } from "#db/client.ts"
import { timestamp } from "#server/rest/fields.ts"
import { toTimestamp } from "#server/time.ts"
import { procedure, router } from "#server/trpc.ts"

const schemaRecord = z
  .object({
    id: z.string().meta({ description: "Identifier, as schemaId takes it", example: "kyc_individual_v1" }),
    name: z.string().meta({ description: "For people", example: "Individual identity" }),
    validity_days: z.number().int().meta({ description: "Days from the provider's decision", example: 365 }),
    created_at: timestamp,
  })
  .meta({ id: "Schema" })

export const schemaRouter = router({
  list: procedure
    .meta({
      openapi: {
        method: "GET",
        path: "/schemas",
        tags: ["Schemas"],
        summary: "List schemas",
        description: "What can be verified in this workspace, and for how long it holds.",
      },
    })
    .input(z.object({}))
    .output(z.object({ data: z.array(schemaRecord) }).meta({ id: "SchemaList" }))
    .query(async ({ ctx }) => {
      const rows = await sql<{ id: string; name: string; validity_days: number; created_at: Date }[]>`
        select id, name, validity_days, created_at from schemas
        where workspace_id = ${ctx.principal.workspaceId} order by created_at, id`
      return { data: rows.map((row) => ({ ...row, created_at: toTimestamp(row.created_at) })) }
    }),
})
