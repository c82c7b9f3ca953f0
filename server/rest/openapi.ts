import { stringify } from "yaml"
import type { Document } from "./adapter.ts"
import { openApiDocument } from "./openapi/document.ts"
import type { OpenApi } from "./openapi/types.ts"
import { asOpenApi30 } from "./openapi/version-3-0.ts"

/** The document as YAML. Scalars that YAML 1.1 would read as times or booleans are quoted. */
export const toYaml = (document: OpenApi): string =>
  stringify(document, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false })

let made: ReadonlyMap<string, Document> | undefined

/** The served documents by path below /v1, each made at first use. As bytes: Node would copy a string each time. */
export function documents(): ReadonlyMap<string, Document> {
  if (made) return made
  const document = openApiDocument()
  made = new Map([
    ["/openapi.json", documentOf("application/json", () => JSON.stringify(document))],
    ["/openapi-3.0.json", documentOf("application/json", () => JSON.stringify(asOpenApi30(document)))],
    ["/openapi.yaml", documentOf("application/yaml", () => toYaml(document))],
  ])
  return made
}

function documentOf(type: string, write: () => string): Document {
  let bytes: Buffer | undefined
  return {
    type,
    get body() {
      bytes ??= Buffer.from(write())
      return bytes
    },
  }
}
