import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { curlOf } from "./curl.ts"

const mint = {
  method: "POST",
  path: "/token/mint",
  headers: {
    authorization: "Bearer vouch_test_abcd…",
    accept: "*/*",
    "content-length": "12",
    "content-type": "application/json",
    "idempotency-key": "order 4711",
    "user-agent": "curl/8",
  },
  request_body: '{"amount":"1"}',
}

test("a request is sent again with a variable in place of the key", () => {
  expect(curlOf(mint, "https://vouch.example.com")).toBe(
    [
      "curl -X POST 'https://vouch.example.com/v1/token/mint' \\",
      '  -H "Authorization: Bearer $VOUCH_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      "  -H 'Idempotency-Key: order 4711' \\",
      `  --data-raw '{"amount":"1"}'`,
    ].join("\n"),
  )
})

test("a GET has no method, a HEAD its own option, and masked parts of a path are not read as a pattern", () => {
  const get = { ...mint, method: "GET", headers: {}, request_body: null }
  expect(curlOf({ ...get, path: "/usage" }, "http://x")).toMatch(
    /^curl 'http:\/\/x\/v1\/usage' \\\n {2}-H "Auth[^\n]*$/,
  )
  expect(curlOf({ ...get, method: "HEAD", path: "/usage" }, "http://x")).toMatch(/^curl --head 'http/)
  const masked = curlOf({ ...get, path: "/investors?external_id=[masked]" }, "http://x")
  expect(masked).toMatch(/^# Replace \[masked\] with what you sent\.\ncurl --globoff '/)
})

test.each(["(20000 bytes, more than are kept)", '{"schemaId":"long long … (15071 bytes in all)'])(
  "a body that was not kept whole is left out, and a comment says so: %s",
  (request_body) => {
    const command = curlOf({ ...mint, request_body }, "http://x")
    expect(command).toMatch(/^# The log did not keep the whole body/)
    expect(command).not.toContain("'{")
  },
)

test("no text of a request can leave its quotes in the shell", () => {
  const hostile = `{"name":"'; echo broken; '$(echo broken)\`echo broken\`\\"}`
  const command = curlOf({ ...mint, path: "/it's/$HOME", request_body: hostile }, "http://x")
  const printed = execFileSync("sh", [
    "-c",
    `curl() { printf '%s\\n' "$@"; }; VOUCH_API_KEY=key; ${command}`,
  ]).toString()
  expect(printed.split("\n")).toEqual(
    expect.arrayContaining(["http://x/v1/it's/$HOME", "Authorization: Bearer key", hostile]),
  )
})
