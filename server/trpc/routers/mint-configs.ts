import { z } from "zod"
import * as tokens from "#domain/tokens"
import { operationWait } from "#server/ledger/index.ts"
import { endpointsIn, memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Mint configurations")

const byId = z.object({ id: tokens.configId })

const pausing = (verb: "pause" | "unpause", summary: string, description: string) =>
  endpoint(`POST /mint-config/{id}/${verb}`, {
    scope: "config:write",
    ...(verb === "unpause" && { needsApproval: true }),
    fails: ["mint_config_not_found"],
    summary,
    description,
    input: byId,
    output: tokens.mintConfigRecord,
  }).mutation(({ ctx, input }) => tokens.setPaused({ ...ctx, id: input.id, paused: verb === "pause" }))

export const mintConfigRouter = router({
  create: endpoint("POST /mint-configs", {
    scope: "config:write",
    accepted: "/mint-config/{id}",
    fails: ["unknown_schema", "mint_config_exists", "sol_budget_exceeded", "chain_not_configured"],
    summary: "Create a mint configuration",
    description:
      "Creates the token and its mint on chain. 200 once the mint is confirmed, otherwise 202 with mint: null. A workspace can have 100.",
    input: tokens.configInput,
    output: tokens.mintConfigRecord,
  }).mutation(async ({ ctx, input }) => {
    const record = await tokens.createConfig({
      ...ctx,
      config: input,
      waitMs: ctx.respondAsync ? 0 : operationWait.ms,
    })
    if (record.mint === null) ctx.answer.status = 202
    return record
  }),

  list: endpoint("GET /mint-configs", {
    summary: "List mint configurations",
    description: "All mint configurations of this workspace, newest first.",
    output: z.object({ data: z.array(tokens.mintConfigRecord) }).meta({ id: "MintConfigList" }),
  }).query(async ({ ctx }) => ({ data: await tokens.listConfigs(ctx.principal) })),

  get: endpoint("GET /mint-config/{id}", {
    fails: ["mint_config_not_found"],
    summary: "Get a mint configuration",
    description: "Includes the supply and the number of holders.",
    input: byId,
    output: tokens.mintConfigRecord,
  }).query(({ ctx, input }) => tokens.getConfig(ctx.principal, input.id)),

  change: endpoint("PATCH /mint-config/{id}", {
    scope: "config:write",
    needsApproval: true,
    fails: ["mint_config_not_found", "unknown_schema", "chain_not_configured"],
    summary: "Change a mint configuration",
    description:
      "Changes the fields that you send, and within `rules` the rules that you send. Null removes a rule. New rules apply at once to requests and to operations that are not signed yet. Limits apply to later requests. Fields written on chain cannot change. If holders move tokens themselves, accounts are updated within seconds.",
    input: byId.extend(tokens.configPatch),
    output: tokens.mintConfigRecord,
  }).mutation(({ ctx, input: { id, ...patch } }) => tokens.patchConfig({ ...ctx, id, patch })),

  pause: pausing("pause", "Pause a token", "Stops minting, transfers and burns until you unpause the token."),
  unpause: pausing("unpause", "Unpause a token", "Resumes minting, transfers and burns."),

  // For the dashboard only.

  view: memberProcedure
    .input(byId)
    .output(tokens.configView)
    .query(({ ctx, input }) => tokens.viewConfig(ctx.principal, input.id)),

  /** Why creating or changing a configuration would be refused. */
  check: memberWith("config:write")
    .input(z.object({ config: z.record(z.string(), z.unknown()), is_new: z.boolean() }))
    .output(tokens.configIssues)
    .query(async ({ ctx, input }) => ({
      issues: await tokens.checkConfig(ctx.principal, { config: input.config, isNew: input.is_new }),
    })),

  save: memberWith("config:write")
    .input(tokens.configInput.strict())
    .output(z.object({ outcome: z.enum(["created", "changed", "unchanged"]), config: tokens.configView }))
    .mutation(async ({ ctx, input }) => {
      const { outcome } = await tokens.applyConfig(ctx, input)
      return { outcome, config: await tokens.viewConfig(ctx.principal, input.id) }
    }),
})
