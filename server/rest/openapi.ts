import { stringify } from "yaml"
import type { Document } from "./adapter.ts"
import { openApiDocument } from "./openapi/document.ts"
import type { OpenApi } from "./openapi/types.ts"

/** The document as YAML. Scalars that YAML 1.1 would read as times or booleans are quoted. */
export const toYaml = (document: OpenApi): string =>
  stringify(document, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false })

let made: ReadonlyMap<string, Document> | undefined

/** The OpenAPI document as it is served, by path below /v1. Made once; its YAML form when first asked for. */
export function documents(): ReadonlyMap<string, Document> {
  if (made) return made
  const document = openApiDocument()
  let yaml: string | undefined
  made = new Map<string, Document>([
    ["/openapi.json", { type: "application/json", body: JSON.stringify(document) }],
    [
      "/openapi.yaml",
      {
        type: "application/yaml",
        get body() {
          yaml ??= toYaml(document)
          return yaml
        },
      },
    ],
  ])
  return made
}
