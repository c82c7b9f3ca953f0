import type { Context } from "#domain/requests"

type Step = { ctx: Context; input: unknown; getRawInput: () => Promise<unknown> }
type CallResult = { ok: true; data: unknown } | { ok: false; error: unknown }
type Middleware = (
  options: Step & {
    meta: unknown
    path: string
    type: "query" | "mutation"
    signal: undefined
    next: (change?: Partial<Step>) => Promise<CallResult>
  },
) => Promise<CallResult>

/** A procedure built by tRPC. */
export type Procedure = {
  _def: { type: "query" | "mutation"; middlewares: Middleware[]; inputs: unknown[]; meta?: unknown }
}

/**
 * Calls a procedure in process, through all its middlewares, including the input and output parsers. It does the same
 * as tRPC's own caller, which `invoke.unit.test.ts` checks, in a seventh of the time (3 µs instead of 21 µs, of about
 * 100 µs for a hot request). Rejects with the error of a middleware.
 */
export async function invoke(procedure: Procedure, path: string, ctx: Context, raw: unknown): Promise<unknown> {
  const { middlewares, meta, type } = procedure._def
  const getRawInput = async () => raw
  const step = async (index: number, { ctx, input, getRawInput }: Step): Promise<CallResult> => {
    try {
      const outcome = await middlewares[index]!({
        ctx,
        input,
        getRawInput,
        meta,
        path,
        type,
        signal: undefined,
        next: (change) =>
          step(index + 1, {
            ctx: change?.ctx ? { ...ctx, ...change.ctx } : ctx,
            input: change !== undefined && "input" in change ? change.input : input,
            getRawInput: change?.getRawInput ?? getRawInput,
          }),
      })
      // Without its marker and the context, which the output parser would copy for no use.
      return outcome.ok ? { ok: true, data: outcome.data } : outcome
    } catch (error) {
      // As in tRPC: the caller of next() sees the result.
      return { ok: false, error }
    }
  }
  const outcome = await step(0, { ctx, input: undefined, getRawInput })
  if (!outcome.ok) throw outcome.error
  return outcome.data
}
