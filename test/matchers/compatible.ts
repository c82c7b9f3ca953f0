/**
 * Finds changes of the API description that break clients of an earlier one. The server refuses unknown request fields,
 * so removing one breaks clients that send it. Responses may get new fields and values, which clients must ignore.
 */

type Json = { [name: string]: unknown }
type Schema = Json & {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
}
type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Content = { content?: Record<string, { schema: Schema }> }
type Operation = { parameters?: Parameter[]; requestBody?: Content; responses: Record<string, Content> }
export type Description = {
  paths: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, unknown>>
}

/** One change: its place, such as `POST /token/mint`, and a description. */
export type Breaking = { where: string; what: string }

const METHODS = ["get", "post", "put", "patch", "delete"]

/** All changes that break a client of `before`, in the order of the endpoints. */
export function breakingChanges(before: Description, after: Description): Breaking[] {
  const found: Breaking[] = []
  for (const [path, item] of Object.entries(before.paths)) {
    for (const method of METHODS.filter((method) => item[method] !== undefined)) {
      const where = `${method.toUpperCase()} ${path}`
      const say = (what: string) => void found.push({ where, what })
      const later = after.paths[path]?.[method]
      if (later === undefined) say("is gone")
      else new Comparison(before, after, say).operations(item[method] as Operation, later as Operation)
    }
  }
  return found
}

type Direction = "request" | "answer"

class Comparison {
  readonly #before: Description
  readonly #after: Description
  readonly #say: (what: string) => void
  /** Pairs that were compared, so that recursive schemas end. */
  readonly #seen = new Set<string>()

  constructor(before: Description, after: Description, say: (what: string) => void) {
    this.#before = before
    this.#after = after
    this.#say = say
  }

  operations(before: Operation, after: Operation): void {
    const parameters = (of: Description, operation: Operation) =>
      (operation.parameters ?? []).map((one) => resolve(of, one) as Parameter)
    const [old, now] = [parameters(this.#before, before), parameters(this.#after, after)]
    for (const one of old) {
      const later = now.find(({ name, in: place }) => name === one.name && place === one.in)
      const what = `${one.in} parameter ${one.name}`
      if (!later) this.#say(`${what} is gone`)
      else {
        if (later.required && !one.required) this.#say(`${what} is required now`)
        this.#schemas("request", what, one.schema, later.schema)
      }
    }
    for (const one of now) {
      const isNew = !old.some(({ name, in: place }) => name === one.name && place === one.in)
      if (isNew && one.required) this.#say(`${one.in} parameter ${one.name} is new and required`)
    }
    const [sent, taken] = [bodyOf(this.#before, before.requestBody), bodyOf(this.#after, after.requestBody)]
    if (sent && taken) this.#schemas("request", "body", sent, taken)
    else if (sent) this.#say("no longer takes a body")
    for (const [status, answer] of Object.entries(before.responses)) {
      if (!status.startsWith("2")) continue
      const later = after.responses[status]
      if (!later) {
        this.#say(`answer ${status} is gone`)
        continue
      }
      const [old, now] = [bodyOf(this.#before, answer), bodyOf(this.#after, later)]
      if (old && now) this.#schemas("answer", `answer ${status}`, old, now)
      else if (old) this.#say(`answer ${status} no longer has a body`)
    }
  }

  #schemas(direction: Direction, at: string, before: Schema, after: Schema): void {
    const pair = `${direction} ${JSON.stringify(before)} ${JSON.stringify(after)}`
    if (this.#seen.has(pair)) return
    this.#seen.add(pair)
    const [old, now] = [resolve(this.#before, before) as Schema, resolve(this.#after, after) as Schema]
    this.#types(direction, at, old, now)
    this.#limits(direction, at, old, now)
    this.#fields(direction, at, old, now)
    if (old.items && now.items) this.#schemas(direction, `${at}[]`, old.items, now.items)
    for (const kind of ["anyOf", "oneOf"] as const) {
      const [were, are] = [old[kind], now[kind]]
      if (!were || !are) continue
      for (const [i, one] of were.entries()) {
        const later = are.find((other) => JSON.stringify(other) === JSON.stringify(one)) ?? are[i]
        if (later) this.#schemas(direction, at, one, later)
        else if (direction === "request") this.#say(`${at}: a form that was accepted is gone`)
      }
    }
  }

  #types(direction: Direction, at: string, before: Schema, after: Schema): void {
    const [old, now] = [typesOf(before), typesOf(after)]
    if (old === null || now === null) return
    const gone = [...old].filter((type) => !now.has(type) && !(type === "integer" && now.has("number")))
    const added = [...now].filter((type) => !old.has(type) && !(type === "integer" && old.has("number")))
    if (direction === "request" && gone.length > 0) this.#say(`${at} no longer takes ${gone.join(", ")}`)
    if (direction === "answer" && added.length > 0) this.#say(`${at} can be ${added.join(", ")}`)
  }

  /** Stricter limits of a request. A client does not rely on limits of a response. */
  #limits(direction: Direction, at: string, before: Schema, after: Schema): void {
    if (direction === "answer") return
    const [old, now] = [valuesOf(before), valuesOf(after)]
    if (now !== null) {
      const gone = old === null ? ["other values"] : old.filter((value) => !now.includes(value))
      if (gone.length > 0) this.#say(`${at} no longer takes ${gone.join(", ")}`)
    }
    for (const [name, isNarrower] of LIMITS) {
      const [was, is] = [before[name] as number | undefined, after[name] as number | undefined]
      if (is !== undefined && (was === undefined || isNarrower(was, is))) this.#say(`${at}: ${name} is ${is} now`)
    }
    // If there was no pattern before, the server may have refused such values all along, and only documents it now.
    if (before.pattern !== undefined && after.pattern !== undefined && after.pattern !== before.pattern)
      this.#say(`${at} must match ${after.pattern} now`)
  }

  #fields(direction: Direction, at: string, before: Schema, after: Schema): void {
    const [old, now] = [before.properties, after.properties]
    if (!old || !now) return
    const [had, has] = [new Set(before.required), new Set(after.required)]
    for (const [name, schema] of Object.entries(old)) {
      const what = `${at}.${name}`
      const later = now[name]
      if (!later) this.#say(`${what} is gone`)
      else {
        if (direction === "request" && has.has(name) && !had.has(name)) this.#say(`${what} is required now`)
        if (direction === "answer" && had.has(name) && !has.has(name)) this.#say(`${what} may be missing`)
        this.#schemas(direction, what, schema, later)
      }
    }
    if (direction === "answer") return
    for (const name of Object.keys(now))
      if (!(name in old) && has.has(name)) this.#say(`${at}.${name} is new and required`)
  }
}

const LIMITS: [name: string, isNarrower: (was: number, is: number) => boolean][] = [
  ...["maxLength", "maximum", "exclusiveMaximum", "maxItems"].map(
    (name): [string, (was: number, is: number) => boolean] => [name, (was, is) => is < was],
  ),
  ...["minLength", "minimum", "exclusiveMinimum", "minItems"].map(
    (name): [string, (was: number, is: number) => boolean] => [name, (was, is) => is > was],
  ),
]

function resolve(description: Description, part: unknown): Json {
  let found = part as Json
  while (typeof found.$ref === "string") {
    const [, , kind, name] = found.$ref.split("/")
    found = description.components[kind!]![name!] as Json
  }
  return found
}

function bodyOf(description: Description, part: Content | undefined): Schema | null {
  const { content } = part === undefined ? {} : (resolve(description, part) as Content)
  return content?.["application/json"]?.schema ?? null
}

/** Null if any type is allowed. */
function typesOf({ type, anyOf, oneOf }: Schema): Set<string> | null {
  if (type === undefined || anyOf || oneOf) return null
  return new Set([type].flat())
}

const valuesOf = (schema: Schema): unknown[] | null => schema.enum ?? ("const" in schema ? [schema.const] : null)
