import type { ErrorCode } from "#shared/errors.ts"
import type { TestApp, TestKey } from "../fixtures/app.ts"
import type { Response, Sent } from "../fixtures/http.ts"

/** A request and the error that answered it. */
export type Example = { sent: Sent; response: Pick<Response, "status" | "json"> & { headers?: Response["headers"] } }

/** Creates the situation for an error, and makes the request that gets it. */
export type Scenario = (app: TestApp) => Promise<Example>

export type Scenarios = { [code in ErrorCode]?: Scenario }

export const FUND = "us_real_estate_fund_v1"
export const SCHEMA = "kyc_individual_v1"

export const ask = async (app: TestApp, sent: Sent): Promise<Example> => ({
  sent,
  response: await app.request(sent),
})

/** A scenario that only needs a key of a new workspace. */
export const withKey =
  (sent: (apiKey: string, key: TestKey, app: TestApp) => Sent | Promise<Sent>): Scenario =>
  async (app) => {
    const key = await app.key()
    return ask(app, await sent(key.apiKey, key, app))
  }

export const get = (path: string) => withKey((key) => ({ method: "GET", path, key }))
export const post = (path: string, json: unknown) => withKey((key) => ({ method: "POST", path, key, json }))

/** The response to a step before the last one, which must succeed. */
export async function done(app: TestApp, sent: Sent) {
  const { status, json, text } = await app.request(sent)
  if (status !== 200) throw new Error(`${sent.method} ${sent.path} answered ${status}: ${text}`)
  return json
}
