import { z } from "zod"
import * as snapshots from "#domain/snapshots"
import * as tokens from "#domain/tokens"
import { idOf, instant, page } from "#server/lib/fields.ts"
import { words } from "#server/lib/text.ts"
import { endpointsIn, router } from "#server/trpc/trpc.ts"
import { snapshotStates } from "#shared/snapshots.ts"

const { endpoint } = endpointsIn("Register")

const id = idOf("snap").meta({ description: "The snapshot's id" })

/** Who held a token on a record date. */
export const snapshotRouter = router({
  create: endpoint("POST /snapshots", {
    scope: "register:write",
    fails: ["unknown_mint_config", "sol_budget_exceeded"],
    accepted: "/snapshot/{snapshot_id}",
    operationId: "createSnapshot",
    summary: "Take a snapshot",
    description:
      "Records who held a token on a record date, in the past or in the future. Everything that landed up to the end of that second counts. It responds 202: the snapshot is ready once nothing can land before the record date any more, some seconds after it. Then the SHA-256 of the holders' CSV goes on chain in a memo that the token's authority signs, so that anyone can check the file with verifySnapshot of the client library.",
    input: z.object({
      mint_config: tokens.knownConfigId,
      record_at: instant
        .transform((text) => new Date(text))
        .meta({
          description: "The record date, to the second",
          example: "2025-12-31T23:59:59Z",
        }),
      name: words(100).meta({ description: "Your name for it", example: "Record date Q4 2025" }),
    }),
    output: snapshots.snapshotRecord,
  }).mutation(async ({ ctx, input }) => {
    const { mint_config: mintConfig, record_at: recordAt, name } = input
    const record = await snapshots.createSnapshot({ ...ctx, mintConfig, recordAt, name })
    if (record.state === "scheduled") ctx.answer.status = 202
    return record
  }),

  list: endpoint("GET /snapshots", {
    scope: "token:read",
    fails: ["unknown_mint_config"],
    operationId: "listSnapshots",
    summary: "List snapshots",
    description: "Newest first.",
    input: z.object({
      mint_config: tokens.knownConfigId.optional().meta({ description: "Only snapshots of this token" }),
      state: z.enum(snapshotStates).optional().meta({ description: "Only snapshots in this state", example: "ready" }),
      ...page,
    }),
    output: snapshots.snapshotList,
  }).query(({ ctx, input: { mint_config, state, limit, cursor } }) =>
    snapshots.listSnapshots(ctx.principal, {
      ...{ mintConfig: mint_config ?? null, state: state ?? null },
      ...{ limit, cursor: cursor ?? null },
    }),
  ),

  get: endpoint("GET /snapshot/{id}", {
    scope: "token:read",
    fails: ["snapshot_not_found"],
    operationId: "getSnapshot",
    summary: "Get a snapshot",
    description: "Returns its state and, once it is ready, the number of holders, what they held and the hash.",
    input: z.object({ id }),
    output: snapshots.snapshotRecord,
  }).query(({ ctx, input }) => snapshots.readSnapshot(ctx.principal, input.id)),

  holdersCsv: endpoint("GET /snapshot/{id}/holders.csv", {
    scope: "token:read",
    fails: ["snapshot_not_found", "snapshot_not_ready"],
    media: "text/csv",
    operationId: "getSnapshotHoldersCsv",
    summary: "Get a snapshot's holders as CSV",
    description:
      "The canonical file, whose SHA-256 is on chain: the header `user_pubkey,balance,held`, a line for each wallet in the order of the bytes of its address, amounts in base units, lines that end with LF, UTF-8 without a byte order mark. Check the bytes as they arrive, before any program changes them. If the download breaks off, repeat it.",
    input: z.object({ id }),
    output: z.string().meta({
      example: "user_pubkey,balance,held\n7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU,749500000,0\n",
    }),
  }).query(async ({ ctx, input }) => {
    ctx.answer.parts = await snapshots.readSnapshotCsv(ctx.principal, input.id)
    return ""
  }),

  holders: endpoint("GET /snapshot/{id}/holders", {
    scope: "token:read",
    fails: ["snapshot_not_found", "snapshot_not_ready"],
    operationId: "listSnapshotHolders",
    summary: "List a snapshot's holders",
    description: "The wallets that held the token on the record date, by address.",
    input: z.object({ id, ...page }),
    output: snapshots.snapshotHolderList,
  }).query(({ ctx, input: { id, limit, cursor } }) =>
    snapshots.listSnapshotHolders(ctx.principal, { id, limit, cursor: cursor ?? null }),
  ),
})
