import { headersOf } from "./headers.ts"
import { errorResponses } from "./responses.ts"
import type { Components, Media, PathItem } from "./types.ts"

/** The paths of the document itself, which the adapter serves without a procedure. */
export function documentPaths(components: Components): Record<string, PathItem> {
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
