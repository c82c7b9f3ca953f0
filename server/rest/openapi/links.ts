import { resolve } from "./schemas.ts"
import type { Components, Link, Operation, Parameter, PathItem, Reference, Response, Schema } from "./types.ts"

/** A value that names an object or wallet: its place and its kind. */
type Value = { kind: string; expression: string }

type Place = { path: string; operation: Operation }

/**
 * The links of an operation: to every operation whose path and required parameters its answers fill. They follow from
 * the patterns of ids and the names of fields, so a new endpoint gets its links automatically.
 */
export function addLinks(paths: Record<string, PathItem>, components: Components): void {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation): Place => ({ path, operation })),
  )
  const targets = all.filter(({ path }) => path.includes("{"))
  for (const place of all) {
    for (const [status, response] of Object.entries(place.operation.responses)) {
      if (!status.startsWith("2")) continue
      const values = valuesOf(place, response as Response, components)
      const found = targets
        .filter(({ operation }) => operation !== place.operation)
        .flatMap((target) => linkTo(target, values, place) ?? [])
      if (found.length === 0) continue
      ;(response as Response).links = Object.fromEntries(
        found.map((link) => [link.operationId, share(link, components)]),
      )
    }
  }
}

/** The link to an operation. Null if a required value is not known, or the link adds nothing. */
function linkTo({ path, operation }: Place, values: readonly Value[], source: Place): Link | null {
  const wanted = required(operation)
  const given = wanted.flatMap(({ name, schema }) => {
    const kind = kindOf(name, schema, path)
    return kind === null ? [] : (values.find((one) => one.kind === kind) ?? inPath(kind, source) ?? [])
  })
  if (given.length < wanted.length || !given.some((one) => values.includes(one))) return null
  const parameters = wanted.map(({ name }, i): [string, string] => [name, given[i]!.expression])
  return { operationId: operation.operationId, parameters: Object.fromEntries(parameters) }
}

const required = ({ parameters }: Operation): Parameter[] =>
  (parameters ?? []).filter((one): one is Parameter => "in" in one && one.required === true)

function inPath(kind: string, { path, operation }: Place): Value | null {
  const found = required(operation).find((one) => one.in === "path" && kindOf(one.name, one.schema, path) === kind)
  return found ? { kind, expression: `$request.path.${found.name}` } : null
}

/** Values that an answer, or the first entry of a list, always has, and required values of the request. */
function valuesOf({ path, operation }: Place, response: Response, { schemas }: Components): Value[] {
  const answer = bodyOf(response, schemas)
  const entry = answer?.properties?.data?.items
  return [
    ...fieldsOf(answer, "$response.body#", path),
    ...fieldsOf(entry && resolve(entry, schemas), "$response.body#/data/0", path),
    ...fieldsOf(bodyOf(operation.requestBody, schemas), "$request.body#", path),
  ]
}

function bodyOf(body: Pick<Response, "content"> | undefined, schemas: Record<string, Schema>): Schema | undefined {
  const schema = body?.content?.["application/json"]?.schema
  return schema && resolve(schema, schemas)
}

function fieldsOf(schema: Schema | undefined, root: string, path: string): Value[] {
  return (schema?.required ?? []).flatMap((name) => {
    const kind = kindOf(name, schema?.properties?.[name] ?? {}, path)
    return kind === null ? [] : { kind, expression: `${root}/${name}` }
  })
}

const byName: Record<string, string> = {
  pubkey: "wallet",
  user_pubkey: "wallet",
  userPubkey: "wallet",
  from_pubkey: "wallet",
  to_pubkey: "wallet",
  mint_config: "mint-config",
  schema: "schema",
  schemaId: "schema",
  required_schema: "schema",
}

/** The kind of a value: by the prefix of its ids or by the field. A plain `id` belongs to the subject of the path. */
function kindOf(name: string, { pattern }: Schema, path: string): string | null {
  const prefix = /^\^([a-z]+)_/.exec(String(pattern))?.[1]
  if (prefix !== undefined) return prefix
  if (name === "id") return path.split("/")[1]!.replace(/s$/, "")
  return byName[name] ?? null
}

/** The word for the place of a value in the name of a link. */
const places = [
  ["$response.body#/data/0/", "first."],
  ["$response.body#/", ""],
  ["$request.body#/", "sent."],
  ["$request.path.", "path."],
] as const

/** A reference to the link among the components, because many operations answer with the same record. */
function share(link: Link, { links }: Components): Reference {
  const sources = Object.values(link.parameters).map((expression) =>
    places.reduce((name, [place, word]) => name.replace(place, word), expression),
  )
  const name = [link.operationId, ...sources].join("-")
  links[name] = link
  return { $ref: `#/components/links/${name}` }
}
