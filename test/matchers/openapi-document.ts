import { expect } from "vitest"
import type { openApiDocument } from "#server/rest/openapi/document.ts"
import type { Media, Operation, Reference, Response } from "#server/rest/openapi/types.ts"

/** The operations and bodies of an OpenAPI document, with references resolved. */
export function readDocument(document: ReturnType<typeof openApiDocument>) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  )

  /** Resolves a reference to a component. */
  function follow<T extends object>(value: T | Reference): T {
    if (!("$ref" in value) || typeof value.$ref !== "string") return value as T
    const [kind, name] = value.$ref.split("/").slice(2) as ["schemas", string]
    expect(document.components[kind], value.$ref).toHaveProperty([name])
    return document.components[kind][name] as T
  }

  function mediaOf(operation: Operation): Media[] {
    return [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap((response) =>
        Object.values(follow<Response>(response).content ?? {}),
      ),
    ]
  }

  return { operations, follow, mediaOf }
}
