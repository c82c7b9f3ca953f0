import { z } from "zod"
import { collectKey, describeKey, listKeys, makeKey, type NewKey, revokeKey } from "#domain/accounts"
import { deployment } from "#domain/deployment"
import { readKeyUsage } from "#server/dashboard/key-usage.ts"
import { idOf, instant, timestamp, wholeNumber } from "#server/lib/fields.ts"
import { nameText } from "#server/lib/text.ts"
import { changeBy, endpointsIn, memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"
import { allScopes, scopes } from "#shared/scopes.ts"
import { keyStatuses } from "#shared/statuses.ts"

const { endpoint } = endpointsIn("Usage")

/** Longest grace period of a rotation: 30 days, in seconds. */
const MAX_GRACE_SECONDS = 30 * 86_400

const scope = z.enum(allScopes)
const keyId = z.string().max(100)

const keyRecord = z.object({
  key_id: z.string(),
  name: z.string(),
  start: z.string(),
  scopes: z.array(scope),
  status: z.enum(keyStatuses),
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
  created_by: z.string().nullable(),
  /** Until when an earlier secret still works, after a rotation. */
  old_secret_until: timestamp.nullable(),
  known_to: z.string().nullable(),
})

const keyDescription = z
  .object({
    key_id: idOf("key").meta({ description: "The key's id" }),
    name: z.string().meta({ description: "The key's name", example: "Backend" }),
    account: z.string().meta({ description: "The account's name", example: "Acme Securities" }),
    workspace_id: idOf("ws").meta({ description: "The key's workspace" }),
    mode: z.enum(["test", "live"]).meta({ description: "The workspace's mode", example: "test" }),
    scopes: z.array(scope).meta({ description: "What the key may do", example: ["kyc:read", "kyc:write"] }),
    expires_at: timestamp.nullable().meta({ description: "Null if it does not expire", example: null }),
    created_at: timestamp,
  })
  .meta({ id: "Key" })

export const keyRouter = router({
  describe: endpoint("GET /key", {
    operationId: "getKey",
    summary: "Get the key in use",
    description: "Returns the key of the request, its workspace, and what it may do. Any key may call it.",
    output: keyDescription,
  }).query(({ ctx }) => describeKey(ctx.principal)),

  /** The scopes that this member can give a new key: only their own. */
  options: memberWith("key:write")
    .input(z.object({}))
    .query(({ ctx }) => ({
      scopes: allScopes
        .filter((scope) => ctx.principal.scopes.has(scope))
        .map((scope) => ({ scope, words: scopes[scope] })),
      base_url: `${deployment.origin}/v1`,
    })),

  /** Newest first. */
  list: memberProcedure
    .input(z.object({}))
    .output(z.object({ data: z.array(keyRecord) }))
    .query(async ({ ctx }) => ({ data: await listKeys({ workspaceId: ctx.principal.workspaceId }) })),

  /** Requests of each key by day. */
  usage: memberProcedure.input(z.object({})).query(({ ctx }) => readKeyUsage(ctx.principal)),

  /** Answers with the secret, unless the key needs approval. */
  create: memberWith("key:write")
    .input(
      z.object({
        name: nameText(100),
        scopes: z
          .array(scope)
          .min(1, "choose at least one")
          .transform((scopes) => [...new Set(scopes)]),
        expires_at: instant.nullable().default(null),
      }),
    )
    .mutation(async ({ ctx, input: request }) => toAnswer(await makeKey({ ...ctx, request }))),

  rotate: memberWith("key:write")
    .input(z.object({ key_id: keyId, grace_seconds: wholeNumber(0, MAX_GRACE_SECONDS) }))
    .mutation(async ({ ctx, input: request }) => toAnswer(await makeKey({ ...ctx, request }))),

  /** Makes a key that other members have approved, and shows its secret. */
  collect: memberWith("key:write")
    .input(z.object({ approval_id: z.string().max(100) }))
    .mutation(async ({ ctx, input }) => toAnswer(await collectKey({ ...ctx, approvalId: input.approval_id }))),

  revoke: memberWith("key:write")
    .input(z.object({ key_id: keyId }))
    .mutation(async ({ ctx, input }) => {
      await revokeKey({ ...changeBy(ctx), keyId: input.key_id })
      return { key_id: input.key_id }
    }),
})

const toAnswer = ({ keyId, apiKey }: NewKey) => ({ key_id: keyId, api_key: apiKey })
