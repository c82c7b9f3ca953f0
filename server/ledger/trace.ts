import { tracer } from "#server/lib/trace.ts"
import type { Mode } from "#shared/mode.ts"

type Landed = { signature: string; slot: number; mode: Mode; created_at: Date }
type Carried = { id: string; kind: string; signature: string; traceparent: string | null; created_at: Date }

/**
 * Adds the outcome of operations to the traces of the requests that started them. It is written afterwards, from the
 * times in the rows. So it is complete whichever processes did the work, and what is not traced costs nothing.
 */
export function traceConfirmed(landed: readonly Landed[], carried: readonly Carried[], now: Date): void {
  if (tracer === null) return
  for (const { id, kind, signature, traceparent, created_at } of carried) {
    if (traceparent === null) continue
    const transaction = landed.find((one) => one.signature === signature)!
    const { mode, slot, created_at: savedAt } = transaction
    const operation = tracer.below(traceparent, `operation ${kind}`, {
      kind: "consumer",
      from: created_at,
      attributes: { "vouch.operation": id, "vouch.mode": mode },
    })
    operation?.child("queue and sign", { from: created_at })?.end({ at: savedAt })
    operation
      ?.child("transaction", {
        kind: "client",
        from: savedAt,
        attributes: { "solana.signature": signature, "solana.slot": slot },
      })
      ?.end({ at: now })
    operation?.end({ at: now })
  }
}
