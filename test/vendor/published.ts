import { createHmac } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import type { ProviderDefinition, SessionToVerify } from "#server/domain/providers/provider.ts"
import { type Answered, startHttpDouble } from "./http-double.ts"

export const hmacOf = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex")
export const nowInSeconds = () => Math.floor(Date.now() / 1000)

const session = { sessionId: "sess_1", investorId: "inv_1", schemaId: "kyc_individual_v1" } as SessionToVerify

/** Lets an adapter read the webhook and response bodies that its vendor publishes. */
export function startPublished() {
  let answer: Answered
  let http: Awaited<ReturnType<typeof startHttpDouble>>
  beforeAll(async () => {
    http = await startHttpDouble(() => answer)
  })
  afterAll(() => http.stop())

  return {
    /** The base URL of the vendor's API. */
    origin: () => http.origin,
    configured(definition: ProviderDefinition, settings: Record<string, string>) {
      const result = definition.configure(settings)
      if ("wrong" in result) throw new Error(JSON.stringify(result.wrong))
      const { flow, readEvent, isSigned, pageOf } = result.provider
      if (flow.kind !== "redirect") throw new Error("no API")
      return {
        isSigned,
        pageOf,
        event: (body: object) => readEvent({}, Buffer.from(JSON.stringify(body))),
        read: (json: object, reference: string) => {
          answer = { status: 200, json }
          return flow.readDecision(session, reference)
        },
      }
    },
  }
}
