import type { AnyRouter } from "@trpc/server"
import { version } from "#server/lib/version.ts"
import { appRouter } from "#server/trpc/router.ts"
import { RouteTable } from "../routes.ts"
import { description, tags } from "./description.ts"
import { headers, headersOf } from "./headers.ts"
import { addLinks } from "./links.ts"
import { operationOf, parameters } from "./operations.ts"
import { errorResponses, errorSchema } from "./responses.ts"
import { open, reachable } from "./schemas.ts"
import type { Components, Media, OpenApi, Operation, PathItem } from "./types.ts"
import { eventAsSent, webhookSignature } from "./webhook.ts"

/** The OpenAPI description of every endpoint: from the procedures, and with what the generator cannot see. */
export function openApiDocument(router: AnyRouter = appRouter): OpenApi {
  const { routes } = new RouteTable(router)
  const components = sharedComponents()
  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    const operation = operationOf(route, components)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  Object.assign(paths, documentPaths(components))
  closeOnlyRequests(paths, components)
  addLinks(paths, components)
  return {
    openapi: "3.1.1",
    info: {
      title: "Vouch",
      version,
      summary: "KYC attestations and compliant tokens on Solana",
      description,
      contact: { name: "The operator of this Vouch deployment" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/v1" }],
    tags: usedTags(paths),
    paths,
    components: onlyUsed(components, paths),
  }
}

function usedTags(paths: Record<string, PathItem>): OpenApi["tags"] {
  const used = new Set(operationsOf(paths).flatMap((operation) => operation.tags ?? []))
  return Object.entries(tags).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []))
}

/** The paths of the document itself, which the adapter serves without a procedure. */
function documentPaths(components: Components): Record<string, PathItem> {
  const read = (operationId: string, summary: string, type: string, media: Media): PathItem => ({
    get: {
      operationId,
      summary,
      description: "No key is needed.",
      tags: ["Description"],
      security: [],
      responses: {
        200: { description: "Success.", headers: headersOf(200, null), content: { [type]: media } },
        ...errorResponses(null, components),
      },
    },
  })
  const openapi = "3.1.1"
  return {
    "/openapi.json": read("getOpenapiJson", "Get this document as JSON", "application/json", {
      schema: { type: "object" },
      example: { openapi },
    }),
    "/openapi-3.0.json": read("getOlderOpenapiJson", "Get this document in OpenAPI 3.0", "application/json", {
      schema: { type: "object" },
      example: { openapi: "3.0.3" },
    }),
    "/openapi.yaml": read("getOpenapiYaml", "Get this document as YAML", "application/yaml", {
      schema: { type: "object" },
      example: { openapi },
    }),
  }
}

/** The components that many operations refer to. Each operation adds its own. */
const sharedComponents = (): Components => ({
  schemas: { ApiError: errorSchema, WebhookEvent: eventAsSent },
  responses: {},
  parameters,
  examples: {},
  headers,
  links: {},
  securitySchemes: {
    apiKey: {
      type: "http",
      scheme: "bearer",
      description: "An API key of a workspace: `vouch_live_…` or `vouch_test_…`.",
    },
    webhookSignature,
  },
})

const operationsOf = (paths: Record<string, PathItem>): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item))

/** Only requests refuse unknown fields. Answers may gain fields within a version, so they stay open. */
function closeOnlyRequests(paths: Record<string, PathItem>, { schemas }: Components): void {
  const sent = new Set<string>()
  for (const { requestBody } of operationsOf(paths)) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) reachable(schema, schemas, sent)
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (!sent.has(name) && schema !== errorSchema) open(schema)
  }
}

/** Removes unused components and sorts the rest by name. */
function onlyUsed(components: Components, paths: Record<string, PathItem>): Components {
  const used = new Set(Object.keys(components.securitySchemes).map((name) => `securitySchemes/${name}`))
  const follow = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
      if (used.has(name!)) continue
      used.add(name!)
      const [kind, key] = name!.split("/") as [keyof Components, string]
      follow(components[kind][key])
    }
  }
  follow(paths)
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(
      Object.entries(named)
        .filter(([name]) => used.has(`${kind}/${name}`))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  ])
  return Object.fromEntries(kept)
}
