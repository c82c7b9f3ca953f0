import { afterAll, afterEach, expect } from "vitest"
import { providers } from "#server/domain/providers/table.ts"
import { newWallet, startTestApp } from "#test/fixtures/app.ts"
import { exampleId } from "./example-id.ts"
import { startVendor } from "./server.ts"

export const INDIVIDUAL = "kyc_individual_v1"
export const ACCREDITED = "accredited_investor_v1"
export const table = [...providers, exampleId]

/**
 * A server that verifies the schema ACCREDITED on a vendor's page, over real HTTP, and INDIVIDUAL with the sandbox.
 * Both servers stop after the file's tests. Then no secret may be in the log.
 */
export async function startWithVendor() {
  const vendor = await startVendor()
  const settings = {
    ...vendor.settings,
    VOUCH_TEST_PROVIDER: `sandbox ${ACCREDITED}=exampleid`,
  }
  const app = await startTestApp({ ...settings, VOUCH_EXAMPLEID_DEADLINE_MS: "1000" }, { providers: table })
  const key = await app.key()
  vendor.reportTo(`${app.origin}/v1/kyc/webhook/exampleid`)
  afterEach(() => {
    vendor.misbehave(null)
    vendor.links({})
  })
  afterAll(async () => {
    await app.stop()
    await vendor.stop()
    const written = app.log.join("\n")
    for (const secret of [...vendor.secrets, "ticket="]) expect(written).not.toContain(secret)
  })

  /** Calls a procedure of the hosted page. */
  const call = async (name: string, input: unknown) => {
    const response = await fetch(`${app.origin}/api/trpc/verification.${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    })
    // biome-ignore lint/suspicious/noExplicitAny: responses can have any shape
    const json = (await response.json()) as any
    return { status: response.status, data: json.result?.data, error: json.error?.data }
  }
  return {
    ...{ vendor, app, key, call },
    view: async (sessionId: string) => (await call("view", { sessionId })).data,
    goOn: (sessionId: string) => call("continue", { sessionId, consent: true }),
    start: (schema = ACCREDITED, wallet = newWallet()) => app.startSession(key, wallet, schema),
    statusOf: async (wallet: string) =>
      (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })).json.status,
    /** Returns the result of the work and the number of requests that the vendor got. */
    callsFor: async <T>(work: () => Promise<T>): Promise<[T, number]> => {
      const before = vendor.requests.length
      return [await work(), vendor.requests.length - before]
    },
  }
}
