import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { errorExamples } from "#shared/error-examples.ts"
import { type ErrorCode, errorCodes, statusOf } from "#shared/errors.ts"
import { type FlakyProxy, flakyProxy } from "#test/doubles/flaky-proxy.ts"
import { compliance, listed } from "#test/error-examples/compliance.ts"
import { dashboard, dashboardSettings } from "#test/error-examples/dashboard.ts"
import type { Scenario, Scenarios } from "#test/error-examples/example.ts"
import { objects } from "#test/error-examples/objects.ts"
import { recordOf } from "#test/error-examples/record.ts"
import { requests } from "#test/error-examples/requests.ts"
import { dependencies, outages, publicOnly, publicSettings, vendorSettings } from "#test/error-examples/trouble.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { type TestList, testList } from "#test/fixtures/screening.ts"

const RECORD = join(import.meta.dirname, "..", "..", "shared", "error-examples.json")

let app: TestApp
let list: TestList
let database: FlakyProxy

/** The servers, started one after the other, with the errors that each one causes. */
const groups: Record<string, { scenarios: Scenarios; begin: () => Promise<TestApp> }> = {
  "any deployment": {
    scenarios: { ...requests, ...objects, ...compliance },
    begin: async () => {
      list = await testList("ofac.txt", [listed])
      return startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
    },
  },
  "a deployment whose chain and vendor are unreachable": {
    scenarios: dependencies,
    begin: () => startTestApp({ ...vendorSettings, VOUCH_ROLE: "web" }),
  },
  "a deployment with an outage": {
    scenarios: outages(() => database),
    begin: () =>
      startTestApp(
        { VOUCH_ROLE: "web" },
        {
          slowness: 1,
          between: async (url) => {
            database = await flakyProxy(url)
            return database.url
          },
        },
      ),
  },
  "a public deployment": { scenarios: publicOnly, begin: () => startTestApp(publicSettings) },
  "the dashboard of a public deployment": { scenarios: dashboard, begin: () => startTestApp(dashboardSettings) },
}

/** `VOUCH_RECORD=1 npx vitest run server/rest/error-examples.test.ts` records the answers. */
const isRecording = process.env.VOUCH_RECORD === "1"
const recorded: { [code: string]: ReturnType<typeof recordOf> } = {}

describe.each(Object.entries(groups))("%s", (_name, { scenarios, begin }) => {
  beforeAll(async () => {
    app = await begin()
  })
  afterAll(() => app.stop())

  test.each(Object.entries(scenarios) as [ErrorCode, Scenario][])(
    "answers %s as the error's page shows it",
    async (code, scenario) => {
      const example = recordOf(await scenario(app))
      expect([example.body.error, example.status]).toEqual([code, statusOf(code)])
      recorded[code] = example
      if (!isRecording) expect(example).toEqual(errorExamples[code])
    },
  )
})

test("exactly the errors of the table have an example", () => {
  expect(Object.keys(recorded).sort()).toEqual([...errorCodes].sort())
  if (isRecording) {
    const sorted = Object.fromEntries(errorCodes.map((code) => [code, recorded[code]]))
    writeFileSync(RECORD, `${JSON.stringify(sorted, null, 2)}\n`)
  } else expect(Object.keys(errorExamples)).toEqual(errorCodes)
})
afterAll(() => list?.remove())
