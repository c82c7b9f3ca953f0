import { expect, test } from "vitest"
import { readDocument } from "#test/matchers/openapi-document.ts"
import { openApiDocument } from "./openapi/document.ts"
import { resolve } from "./openapi/schemas.ts"
import type { Link, Operation, Parameter, Response, Schema } from "./openapi/types.ts"
import { asOpenApi30 } from "./openapi/version-3-0.ts"

const document = openApiDocument()
const { operations, follow } = readDocument(document)
const { schemas } = document.components

const operation = (id: string): Operation => operations.find(({ operation }) => operation.operationId === id)!.operation

const parametersOf = ({ parameters }: Operation): Parameter[] => (parameters ?? []).map((one) => follow<Parameter>(one))

const bodyOf = (body: Pick<Response, "content"> | undefined): Schema => {
  const schema = body?.content?.["application/json"]?.schema
  return schema ? resolve(schema, schemas) : {}
}

const answerOf = (source: Operation, status: string): Response => follow<Response>(source.responses[status]!)

const linksOf = (source: Operation, status: string): Link[] =>
  Object.values(answerOf(source, status).links ?? {}).map((one) => follow<Link>(one))

const all = operations.flatMap(({ operation }) =>
  Object.keys(operation.responses).flatMap((status) =>
    linksOf(operation, status).map((link) => ({ source: operation, status, link })),
  ),
)

/** The schema that a runtime expression points to, undefined if there is none. */
function pointedTo(source: Operation, status: string, expression: string): Schema | undefined {
  const [, where, pointer] = /^\$(response\.body|request\.body|request\.path)[#.]\/?(.+)$/.exec(expression)!
  if (where === "request.path")
    return parametersOf(source).find((one) => one.in === "path" && one.name === pointer)?.schema
  let schema: Schema | undefined = bodyOf(where === "request.body" ? source.requestBody : answerOf(source, status))
  for (const step of pointer!.split("/")) {
    const inner: Schema | undefined = step === "0" ? schema?.items : schema?.properties?.[step]
    schema = inner && resolve(inner, schemas)
  }
  return schema
}

test("every link leads to an operation, and fills its required parameters with values of the same format", () => {
  expect(all.length).toBeGreaterThan(100)
  for (const { source, status, link } of all) {
    const what = `${source.operationId} ${status} -> ${link.operationId}`
    const target = parametersOf(operation(link.operationId))
    for (const { name, required } of target) if (required) expect(Object.keys(link.parameters), what).toContain(name)
    for (const [name, expression] of Object.entries(link.parameters)) {
      const parameter = target.find((one) => one.name === name)
      expect(parameter, `${what}: ${name}`).toBeDefined()
      const schema = pointedTo(source, status, expression)
      expect(schema, `${what}: ${expression}`).toBeDefined()
      expect(schema!.pattern, `${what}: ${expression}`).toBe(parameter!.schema.pattern)
    }
  }
})

test("an id in an answer is linked to every operation that takes it", () => {
  const isOfId = (pattern: unknown) => /^\^[a-z]+_\[/.test(String(pattern))
  const targets = operations.flatMap(({ operation }) => {
    const required = parametersOf(operation).filter((one) => one.required)
    const [only] = required
    return required.length === 1 && only!.in === "path" && isOfId(only!.schema.pattern)
      ? [{ operation, pattern: only!.schema.pattern }]
      : []
  })
  expect(targets.length).toBeGreaterThan(15)
  for (const { operation: source } of operations) {
    const answer = bodyOf(answerOf(source, "200"))
    const items = answer.properties?.data?.items
    const fields = [answer, items ? resolve(items, schemas) : {}].flatMap((one) =>
      Object.entries(one.properties ?? {}).flatMap(([name, field]) => (one.required?.includes(name) ? [field] : [])),
    )
    const linked = linksOf(source, "200").map((link) => link.operationId)
    for (const { operation, pattern } of targets)
      if (operation !== source && fields.some((field) => field.pattern === pattern))
        expect(linked, source.operationId).toContain(operation.operationId)
  }
})

test("tokens and wallets are linked by their names, even if only the request contains them", () => {
  const link = (source: string, target: string, status = "200") =>
    linksOf(operation(source), status).find((one) => one.operationId === target)?.parameters
  expect(link("startVerification", "getWalletStatus")).toEqual({ pubkey: "$request.body#/userPubkey" })
  expect(link("mintTokens", "getOperation", "202")).toEqual({ id: "$response.body#/operation_id" })
  expect(link("createMintConfig", "getMintConfig", "202")).toEqual({ id: "$response.body#/id" })
  expect(link("listSchemas", "getSchema")).toEqual({ id: "$response.body#/data/0/id" })
  expect(link("listHolders", "getBalance")).toEqual({
    pubkey: "$response.body#/data/0/user_pubkey",
    mint_config: "$request.path.mint_config",
  })
  expect(link("listWebhookDeliveries", "getWebhookDelivery")).toEqual({
    id: "$response.body#/data/0/endpoint_id",
    event_id: "$response.body#/data/0/event_id",
  })
  expect(linksOf(operation("getUsage"), "200")).toEqual([])
})

test("the copy in 3.0 has the same links", () => {
  const copy = asOpenApi30(document) as unknown as typeof document
  expect(copy.components.links).toEqual(document.components.links)
  for (const { path, method, operation } of operations) {
    const responses = copy.paths[path]![method]!.responses
    for (const [status, response] of Object.entries(operation.responses))
      expect((responses[status] as Response).links).toEqual((response as Response).links)
  }
})
