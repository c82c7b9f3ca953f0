import { execFileSync } from "node:child_process"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { exampleEvent } from "#shared/webhook-event.ts"
import { languages, missingScopes, stepsFor, usual, webhookSample } from "./samples.ts"

const steps = stepsFor(usual)
const target = { baseUrl: "https://vouch.example.com/v1", key: "vouch_test_key", attempt: "k3x" }

/** The requests that a script sends, each `fetch` as one line of JSON. Every request is answered with `{}`. */
function requestsOf(script: string, env: Record<string, string> = {}) {
  const listening = `globalThis.fetch = async (url, { method = "GET", headers, body } = {}) => {
    process.stderr.write(JSON.stringify({ url: String(url), method, headers, body }) + "\\n")
    return { status: 200, json: async () => ({}) }
  }\n`
  const said = execFileSync(
    "sh",
    ["-c", 'exec "$0" --input-type=module -e "$1" 2>&1 >/dev/null', process.execPath, listening + script],
    { encoding: "utf8", env: { ...process.env, ...env } },
  )
  return said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

const inNode = languages.find(({ id }) => id === "node")!

test.each(Object.entries(steps))("the Node sample for %s sends that request", (_, { call }) => {
  const { method, path } = call
  const [request] = requestsOf(inNode.write(call, target))
  expect(request).toMatchObject({ method, url: `${target.baseUrl}${path}` })
  expect(request.headers.Authorization).toBe("Bearer vouch_test_key")
  expect(request.headers["Idempotency-Key"]).toBe("once" in call ? `${call.once}-k3x` : undefined)
  expect(request.body && JSON.parse(request.body)).toEqual("body" in call ? call.body : undefined)
})

test("a sample contains the address, the key and each value of the body in every language", () => {
  for (const { write } of languages) {
    for (const { call } of Object.values(steps)) {
      const sample = write(call, target)
      const values = "body" in call ? Object.values(call.body) : []
      for (const part of [target.baseUrl + call.path, target.key, ...values]) expect(sample).toContain(part)
    }
  }
})

test("the standard's own library accepts the signature of the webhook sample", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const env = { VOUCH_WEBHOOK_SECRET: secret, SESSION_ID: "sess_1" }
  const [{ url, method, headers, body }] = requestsOf(webhookSample(target.baseUrl), env)
  expect({ url, method }).toEqual({ url: `${target.baseUrl}/kyc/webhook`, method: "POST" })
  const { type, data } = new Webhook(secret).verify(body, headers) as typeof exampleEvent
  expect(type).toBe(exampleEvent.type)
  expect(data).toEqual({ ...exampleEvent.data, session_id: "sess_1", occurred_at: expect.any(String) })
  expect(data.occurred_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

test("samples name the reader's own schema and token", () => {
  const own = stepsFor({ schema: "residency_v1", mintConfig: "my_fund" })
  const all = Object.values(own)
    .map(({ call }) => languages[0].write(call, target))
    .join("\n")
  expect(all).toContain('"schemaId": "residency_v1"')
  expect(all).toContain("?schema=residency_v1")
  expect(all).toContain('"mint_config": "my_fund"')
  expect(all).not.toContain(usual.mintConfig)
})

test("a key needs the scope of each request, and others do not help", () => {
  expect(missingScopes(["token:read", "kyc:write", "kyc:read", "token:mint"])).toEqual([])
  expect(missingScopes(["kyc:read", "token:read", "attestation:read"])).toEqual(["kyc:write", "token:mint"])
})
