import { newId } from "#server/lib/ids.ts"
import { newWallet, type TestApp, type TestKey } from "./app.ts"
import type { Sent } from "./http.ts"

/** A new Idempotency-Key. */
export const newKey = () => newId("evt")

export const bodyOf = (wallet = newWallet()) => ({ userPubkey: wallet, schemaId: "kyc_individual_v1" })

/** POST /kyc/start under an Idempotency-Key. The app is there only once tests run. */
export const startsOf =
  (who: () => [TestApp, TestKey]) =>
  (idempotencyKey: string, json: unknown, apiKey?: string, more: Partial<Sent> = {}) => {
    const [app, key] = who()
    const sent = {
      method: "POST",
      path: "/kyc/start",
      key: apiKey ?? key.apiKey,
      idempotencyKey,
      json,
      ...more,
    }
    return app.request(sent)
  }
