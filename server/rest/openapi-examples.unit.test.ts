import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { isSignedByStandard } from "#server/domain/providers/signatures.ts"
import { readVouchEvent } from "#server/domain/providers/vouch-event.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { errorExamples } from "#shared/error-examples.ts"
import { apiErrorCodes, errors, statusOf } from "#shared/errors.ts"
import { readDocument } from "#test/matchers/openapi-document.ts"
import { openApiDocument } from "./openapi/document.ts"
import { variations } from "./openapi/examples.ts"
import type { Example, Media, Parameter } from "./openapi/types.ts"

const document = openApiDocument()
const { operations, follow, mediaOf } = readDocument(document)

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ components: { schemas: document.components.schemas } }, "openapi")
const fits = (schema: object, value: unknown, what: string): void => {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')
  const validate = ajv.compile(JSON.parse(text))
  expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`).toBe(true)
}
const examplesOf = ({ example, examples }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples ?? {}).map((one) => follow<Example>(one).value),
]

test("every body has an example, and all examples match their schemas", () => {
  for (const { name, operation } of operations) {
    for (const media of mediaOf(operation)) {
      const examples = examplesOf(media)
      expect(examples.length, name).toBeGreaterThan(0)
      for (const example of examples) fits(media.schema, example, name)
    }
  }
})

test("every error of the API has a recorded example with its code and status", () => {
  for (const code of apiErrorCodes) {
    const { request, status, body } = errorExamples[code]
    expect([body.error, status], code).toEqual([code, statusOf(code)])
    fits({ $ref: "#/components/schemas/ApiError" }, body, code)
    expect(body.detail, code).toMatch(/^.{20,}[.?]$/)
    expect(request.path, code).toMatch(/^\/v1\//)
    const shown = document.components.examples[code]
    // These errors come before any endpoint.
    if (code === "route_not_found" || code === "method_not_allowed") expect(shown).toBeUndefined()
    else expect(shown, code).toEqual({ summary: errors[code].title, value: body })
  }
})

test("examples of parameters, headers and fields match their schemas", () => {
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? [])
  for (const parameter of parameters.map((one) => follow<Parameter>(one))) {
    if (parameter.example !== undefined) fits(parameter.schema, parameter.example, parameter.name)
  }
  for (const [name, { schema, example }] of Object.entries(document.components.headers)) {
    fits(schema, example, name)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const [field, { examples = [], ...type }] of Object.entries(schema.properties ?? {})) {
      for (const example of examples) fits(type, example, `${name}.${field}`)
    }
  }
})

test("every variation belongs to a documented answer", () => {
  const answers = operations.flatMap(({ operation }) =>
    Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
  )
  expect(answers).toEqual(expect.arrayContaining(Object.keys(variations)))
})

test("the code that reads webhooks accepts their examples", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const { examples } = document.paths["/kyc/webhook"]!.post!.requestBody!.content["application/json"]!
  for (const example of Object.values(examples!)) {
    const value = structuredClone(follow<Example>(example).value) as {
      data: { decision: string; occurred_at: string }
    }
    value.data.occurred_at = toTimestamp(clock.now())
    const body = JSON.stringify(value)
    const at = new Date()
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
    }
    expect(isSignedByStandard([secret], headers, Buffer.from(body))).toBe(true)
    expect(readVouchEvent(headers, Buffer.from(body)).says).toMatchObject({ decision: value.data.decision })
  }
})
