import { expect, test } from "vitest"
import { parseSettings, SettingsError } from "#server/settings/env.ts"
import { exampleId } from "#test/vendor/example-id.ts"
import { refuseUnknownSettings, settingWarnings } from "./setting-warnings.ts"
import { providers } from "./table.ts"

const WHOLE = {
  VOUCH_EXAMPLEID_URL: "http://127.0.0.1:1",
  VOUCH_EXAMPLEID_API_KEY: "ek_12345678",
  VOUCH_EXAMPLEID_SECRET: "quite secret",
}
const table = [...providers, exampleId]
const warnings = (environment: Record<string, string>) => settingWarnings(parseSettings(environment), table)

test.each<[string, Record<string, string>]>([
  ["nothing", {}],
  ["a completely configured provider that nothing chooses", WHOLE],
  ["a provider of one mode", { VOUCH_EXAMPLEID_URL: "http://127.0.0.1:1", ...inMode("LIVE", WHOLE) }],
  ["settings of other programs", { VOUCH_KEY: "vouch_test_x", VOUCH_SCREENSHOTS: "1" }],
  [
    "settings of any machine",
    { PATH: "/bin", HOME: "/root", PWD: "/", LANG: "C", USER: "vouch", npm_config_port: "1", POST: "x" },
  ],
  ["an empty setting", { VOUCH_EXAMPLEID_APIKEY: "" }],
])("%s: no warnings", (_name, environment) => {
  expect(warnings(environment)).toEqual([])
})

function inMode(mode: string, environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name.replace("VOUCH_", `VOUCH_${mode}_`), value]),
  )
}

test.each([
  ["VOUCH_EXAMPLEID_APIKEY", "VOUCH_EXAMPLEID_API_KEY"],
  ["VOUCH_TEST_EXAMPLEID_SECERT", "VOUCH_TEST_EXAMPLEID_SECRET"],
  ["VOUCH_EXAMPELID_URL", "VOUCH_EXAMPLEID_URL"],
  ["VOUCH_RATE_LIMTI", "VOUCH_RATE_LIMIT"],
  ["VOUCH_LIVE_WEBHOK_SECRET", "VOUCH_LIVE_WEBHOOK_SECRET"],
  ["VOUCH_SOLANA_RPC_URL", "SOLANA_RPC_URL"],
])("%s stops the start with the name that was meant and without the value", (name, meant) => {
  const refused = () => refuseUnknownSettings(parseSettings({ ...WHOLE, [name]: "quite secret" }), table)
  expect(refused).toThrow(SettingsError)
  expect(refused).toThrow(`${name}: there is no such setting. Did you mean ${meant}?`)
  expect(refused).not.toThrow(/quite secret/)
})

test("all unknown names are refused together, including those unlike any known name", () => {
  const refused = () => refuseUnknownSettings(parseSettings({ VOUCH_COLOUR: "blue", VOUCH_ROLES: "web" }))
  expect(refused).toThrow(/VOUCH_COLOUR: there is no such setting. .env.example lists them all/)
  expect(refused).toThrow(/VOUCH_ROLES: there is no such setting. Did you mean VOUCH_ROLE\?/)
})

test("names of clients and tools, and those that Kubernetes sets for a service called vouch, are accepted", () => {
  const environment = {
    ...{ VOUCH_KEY: "vouch_test_x", VOUCH_API_KEY: "vouch_test_x", VOUCH_SCREENSHOTS: "1" },
    ...{
      VOUCH_SERVICE_HOST: "10.0.0.1",
      VOUCH_WEB_SERVICE_PORT_HTTP: "3000",
      VOUCH_PORT: "tcp://10.0.0.1:3000",
    },
    ...{ VOUCH_PORT_3000_TCP_ADDR: "10.0.0.1", VOUCH_PORT_3000_TCP: "tcp://10.0.0.1:3000" },
  }
  expect(() => refuseUnknownSettings(parseSettings(environment))).not.toThrow()
  expect(() => refuseUnknownSettings(parseSettings({ VOUCH_METRIC_PORT: "9464" }))).toThrow(/VOUCH_METRICS_PORT/)
})

test.each([
  ["SOLANA_RPC_URLS", "SOLANA_RPC_URL"],
  ["DATABSE_URL", "DATABASE_URL"],
])(
  "%s may belong to another program: a warning names it and the name that was meant, without the value",
  (name, meant) => {
    expect(warnings({ ...WHOLE, [name]: "quite secret" })).toEqual([
      `${name}: there is no such setting, so it does nothing. Did you mean ${meant}?`,
    ])
  },
)

test("parameters of the database's address for other programs are named", () => {
  const DATABASE_URL = "postgres://u:p@h/d?schema=public&pgbouncer=true&connection_limit=1"
  expect(warnings({ DATABASE_URL })).toEqual([
    "DATABASE_URL: schema, pgbouncer, connection_limit are for other programs and ignored.",
  ])
})

test("an address to send to has no effect without one to read from", () => {
  const url = "https://rpc.example.com/"
  expect(warnings({ SOLANA_SEND_URL: url })).toEqual(["SOLANA_SEND_URL: does nothing without SOLANA_RPC_URL."])
  expect(warnings({ SOLANA_SEND_URL: url, VOUCH_LIVE_SOLANA_RPC_URL: url })).toEqual([])
  expect(warnings({ VOUCH_TEST_SOLANA_SEND_URL: url, VOUCH_LIVE_SOLANA_RPC_URL: url })).toEqual([
    "VOUCH_TEST_SOLANA_SEND_URL: does nothing without VOUCH_TEST_SOLANA_RPC_URL.",
  ])
})

test("missing and wrong settings of a provider that nothing chooses are named once, without a value", () => {
  const { VOUCH_EXAMPLEID_API_KEY: _, ...rest } = WHOLE
  expect(warnings(rest)).toEqual([expect.stringMatching(/^VOUCH_EXAMPLEID_API_KEY: required\. .*exampleid/)])
  const wrong = warnings({ ...WHOLE, VOUCH_TEST_EXAMPLEID_API_KEY: "short" })
  expect(wrong).toEqual([expect.stringMatching(/^VOUCH_TEST_EXAMPLEID_API_KEY: must be the key/)])
  expect(wrong.join()).not.toContain("short")
})
