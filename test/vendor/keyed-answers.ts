import type { Answered } from "./http-double.ts"

/**
 * Idempotency keys like Stripe's and Persona's: the first response to a key is stored, failures too, and another
 * request with the same key is refused. (https://docs.stripe.com/api/idempotent_requests,
 * https://docs.withpersona.com/idempotence)
 */
export function keyedAnswers() {
  const byKey = new Map<string, { body: string; answered: Answered }>()
  let isBroken = false
  return {
    answer(key: string | string[] | undefined, body: Buffer, make: () => Answered): Answered {
      if (typeof key !== "string" || key === "" || key.length > 255)
        return { status: 400, json: { error: { message: "Idempotency-Key is missing, or too long" } } }
      const before = byKey.get(key)
      if (before && before.body !== body.toString())
        return { status: 400, json: { error: { type: "idempotency_error" } } }
      const answered =
        before?.answered ?? (isBroken ? { status: 500, json: { error: { message: "out of order" } } } : make())
      byKey.set(key, { body: body.toString(), answered })
      return answered
    },
    /** Starts or ends an outage, in which new requests fail and their failures are stored. */
    breakDown(is: boolean): void {
      isBroken = is
    },
  }
}
