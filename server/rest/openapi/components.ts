import { headers } from "./headers.ts"
import { parameters } from "./operations.ts"
import { errorSchema } from "./responses.ts"
import { open, reachable } from "./schemas.ts"
import type { Components, Operation, PathItem, Schema } from "./types.ts"
import { eventAsSent, webhookSignature } from "./webhook.ts"

/** The components that operations refer to: the schemas of the procedures, and shared parts. */
export const componentsWith = (schemas: Record<string, Schema>): Components => ({
  schemas: { ...schemas, ApiError: errorSchema, WebhookEvent: eventAsSent },
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

export const operationsOf = (paths: Record<string, PathItem>): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item))

/** Only requests refuse unknown fields. Answers may gain fields within a version, so they stay open. */
export function closeOnlyRequests(paths: Record<string, PathItem>, { schemas }: Components): void {
  const sent = new Set<string>()
  for (const { requestBody } of operationsOf(paths)) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) reachable(schema, schemas, sent)
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (!sent.has(name) && schema !== errorSchema) open(schema)
  }
}

/** Removes unused components, such as the generator's own error schemas, and sorts the rest by name. */
export function onlyUsed(components: Components, paths: Record<string, PathItem>): Components {
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
