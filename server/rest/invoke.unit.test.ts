import { initTRPC, TRPCError } from "@trpc/server"
import { expect, test } from "vitest"
import { z } from "zod"
import type { Context } from "#server/domain/requests/context.ts"
import { appRouter } from "#server/trpc/router.ts"
import { Failure, fail } from "#shared/errors.ts"
import { invoke, type Procedure } from "./invoke.ts"

// For speed, invoke() uses tRPC's internal `_def.middlewares`. These tests compare it with the public caller. If they
// fail after an upgrade, read `createBuilder` and `createResolver` in the procedure builder of @trpc/server and change
// invoke.ts.

const t = initTRPC.context<Context>().meta<{ scope?: string }>().create()

/** What the middlewares saw, in order. */
let seen: unknown[] = []

const traced = t.procedure.use(async ({ ctx, input, meta, path, type, getRawInput, next }) => {
  seen.push(["first", ctx.requestId, input, meta, path, type, await getRawInput()])
  const outcome = await next({ ctx: { requestId: `${ctx.requestId}, changed` } })
  seen.push(["first again", outcome.ok])
  return outcome
})
const shape = z.object({ n: z.number().default(1), wish: z.string().optional() })

const router = t.router({
  answer: traced
    .meta({ scope: "read" })
    .input(shape)
    .use(({ ctx, input, next }) => {
      seen.push(["second", ctx.requestId, input])
      return next()
    })
    .output(z.object({ twice: z.number(), as: z.string() }))
    .query(({ ctx, input }) => ({ twice: input.n * 2, as: ctx.requestId, secret: "not in the output" })),
  change: traced.input(shape).mutation(({ input }) => input.n),
  refuse: traced.input(shape).mutation(() => fail("mint_paused", "It is paused.")),
  break: traced.input(shape).mutation(() => {
    throw new Error("unforeseen")
  }),
  lie: t.procedure.output(z.object({ n: z.number() })).query(() => ({ n: "one" }) as never),
  again: t.procedure
    .use(async ({ next }) => {
      const first = await next()
      return first.ok ? first : next()
    })
    .mutation(({ ctx }) => {
      ctx.answer.status++
      return ctx.answer.status === 201 ? fail("internal_error", "The first time.") : ctx.answer.status
    }),
})

const contextOf = (): Context => ({
  requestId: "req_1",
  transport: "api",
  principal: null,
  user: null,
  idempotency: null,
  webhook: null,
  respondAsync: false,
  answer: { status: 200 },
})

type Name = Exclude<keyof typeof router, "_def" | "createCaller">

/** The outcome of a call for the adapter: errors by the cause that tRPC's caller wraps. */
async function outcomeOf(call: () => Promise<unknown>) {
  seen = []
  const answer = await call().then(
    (output) => ({ output }),
    (error: unknown) => {
      const foreign = error instanceof TRPCError && error.code === "INTERNAL_SERVER_ERROR" && error.cause
      const cause = foreign && error.cause?.name !== "ZodError" ? error.cause : error
      const { name, message } = cause as Error
      return { error: { name, message, isOurs: cause instanceof Failure } }
    },
  )
  return { answer, seen }
}

const byInvoke = (name: Name, input: unknown) =>
  outcomeOf(() => invoke(router[name] as unknown as Procedure, name, contextOf(), input))
const byCaller = (name: Name, input: unknown) => {
  const caller = t.createCallerFactory(router)(contextOf()) as Record<Name, (input: unknown) => Promise<unknown>>
  return outcomeOf(() => caller[name](input))
}

test.each<[Name, unknown, object]>([
  ["answer", { n: 4 }, { output: { twice: 8, as: "req_1, changed" } }],
  ["answer", {}, { output: { twice: 2, as: "req_1, changed" } }],
  ["answer", { n: "four" }, { error: { name: "TRPCError" } }],
  ["answer", undefined, { error: { name: "TRPCError" } }],
  ["change", { n: 4 }, { output: 4 }],
  ["refuse", {}, { error: { isOurs: true, message: "It is paused." } }],
  ["refuse", { n: null }, { error: { name: "TRPCError" } }],
  ["break", {}, { error: { name: "Error", message: "unforeseen" } }],
  ["lie", undefined, { error: { name: "TRPCError", message: "Output validation failed" } }],
  ["again", undefined, { output: 202 }],
])("%s with %o: invoke does the same as tRPC's own caller", async (name, input, expected) => {
  const outcome = await byInvoke(name, input)
  expect(outcome.answer).toMatchObject(expected)
  expect(outcome).toEqual(await byCaller(name, input))
})

test("every procedure has the internals that invoke and the route table rely on", () => {
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
  expect(procedures.length).toBeGreaterThan(50)
  for (const [name, { _def }] of procedures) {
    expect([name, _def.middlewares.map((one) => typeof one)]).toEqual([name, _def.middlewares.map(() => "function")])
    // At least one of our middlewares, the parsers, and the procedure itself.
    expect(_def.middlewares.length, name).toBeGreaterThanOrEqual(2 + _def.inputs.length)
    expect(["query", "mutation", "subscription"], name).toContain(_def.type)
  }
})
