import type { AnyRouter } from "@trpc/server"
import { generateOpenApiDocument } from "trpc-to-openapi"
import { version } from "#server/lib/version.ts"
import { appRouter } from "#server/trpc/router.ts"
import { RouteTable } from "../routes.ts"
import { closeOnlyRequests, componentsWith, onlyUsed, operationsOf } from "./components.ts"
import { description, tags } from "./description.ts"
import { headersOf } from "./headers.ts"
import { addLinks } from "./links.ts"
import { finish } from "./operations.ts"
import { errorResponses } from "./responses.ts"
import { tidy } from "./schemas.ts"
import type { Components, Media, OpenApi, PathItem, Response, Schema } from "./types.ts"

/** The OpenAPI description of every endpoint: from the procedures, and with what the generator cannot see. */
export function openApiDocument(router: AnyRouter = appRouter): OpenApi {
  const { routes } = new RouteTable(router)
  const generated = generate(router)
  const components = componentsWith(generated.components.schemas)
  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    const method = route.method.toLowerCase()
    const operation = generated.paths[route.path]![method]!
    paths[route.path] = { ...paths[route.path], [method]: finish(operation, route, components) }
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

function generate(router: AnyRouter): OpenApi {
  const options = { title: "Vouch", version, baseUrl: "/v1", openApiVersion: "3.1.1" } as const
  const generated = generateOpenApiDocument(router as never, options) as unknown as OpenApi
  for (const schema of schemasOf(generated)) tidy(schema)
  return generated
}

function* schemasOf({ paths, components }: OpenApi): Generator<Schema> {
  yield* Object.values(components.schemas)
  for (const operation of operationsOf(paths)) {
    for (const parameter of operation.parameters ?? []) if ("schema" in parameter) yield parameter.schema
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) yield schema
    for (const response of Object.values(operation.responses)) {
      for (const { schema } of Object.values((response as Response).content ?? {})) yield schema
    }
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
