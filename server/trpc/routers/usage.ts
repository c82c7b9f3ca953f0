import { z } from "zod"
import { MAX_MONTHS, readUsage, readUsageHistory } from "#domain/accounts"
import { lamports, timestamp, wholeNumber } from "#server/lib/fields.ts"
import { endpointsIn, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Usage")

const usageRecord = z
  .object({
    plan: z.string().meta({ description: "The account's plan", example: "free" }),
    period_start: timestamp.meta({ description: "Start of the month", example: "2026-01-01T00:00:00Z" }),
    period_end: timestamp.meta({ description: "Start of the next month", example: "2026-02-01T00:00:00Z" }),
    included: z.number().int().nullable().meta({ description: "Null if there is no limit", example: 500 }),
    used: z.number().int().meta({
      description: "Units of quota in use: pending attestations, and those that were verified",
      example: 12,
    }),
    remaining: z.number().int().nullable().meta({ description: "Null if there is no limit", example: 488 }),
    chain: z
      .object({
        transactions: z.number().int().meta({ description: "Transactions that landed", example: 40 }),
        fee_lamports: lamports.meta({ description: "Fees of these transactions", example: "400000" }),
        rent_lamports: lamports.meta({ description: "Rent for accounts in these transactions", example: "61366400" }),
        budget_lamports: lamports.nullable().meta({
          description: "Limit for fees and rent together; null if there is none",
          example: "1000000000",
        }),
      })
      .meta({ description: "Costs on chain this month so far, counted a few seconds after each transaction" }),
  })
  .meta({ id: "Usage" })

export const usageRouter = router({
  get: endpoint("GET /usage", {
    summary: "Get quota usage",
    description:
      "A started session counts until its attestation ends unverified. The period is the calendar month in UTC.",
    output: usageRecord,
  }).query(({ ctx }) => readUsage(ctx.principal.workspaceId)),

  history: endpoint("GET /usage/history", {
    operationId: "getUsageHistory",
    summary: "Get the usage of past months",
    description:
      "The figures of GET /usage for each month of the workspace, the current one first. Plan, quota and budget are those at the end of the month.",
    input: z.object({
      months: wholeNumber(1, MAX_MONTHS)
        .default(12)
        .meta({ description: "Maximum number of months, including the current one", example: 12 }),
    }),
    output: z.object({ data: z.array(usageRecord) }).meta({ id: "UsageHistory" }),
  }).query(async ({ ctx, input }) => ({ data: await readUsageHistory(ctx.principal.workspaceId, input.months) })),
})
