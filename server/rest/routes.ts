import type { AnyRouter } from "@trpc/server"
import { z } from "zod"
import type { ProcedureMeta } from "#server/trpc/trpc.ts"
import type { Procedure } from "./invoke.ts"

export type Route = {
  method: string
  /** Path below /v1 with its parameters in braces. */
  path: string
  /** The same with /v1 before it. */
  template: string
  name: string
  procedure: Procedure
  meta: ProcedureMeta
  /** Names of all fields of its input. */
  fields: ReadonlySet<string>
  /** Number fields, which a query contains as digits. */
  numbers: ReadonlySet<string>
  /** Fields of an amount, whose digits are kept as they were sent. */
  amounts: ReadonlySet<string>
  parameters: readonly string[]
}

type Pattern = { segments: readonly string[]; routes: Map<string, Route> }

/** The match of a path: the routes of its methods, and the raw values of its parameters. */
export type Match = { routes: ReadonlyMap<string, Route>; raw: readonly string[] }

/** All endpoints, compiled once from the procedures' `meta.openapi`. */
export class RouteTable {
  readonly routes: Route[] = []
  readonly #fixed = new Map<string, Map<string, Route>>()
  /** By the number of their segments and the first segment. */
  readonly #patterns = new Map<string, Pattern[]>()

  constructor(router: AnyRouter) {
    const procedures = router._def.procedures as unknown as Record<string, Procedure>
    for (const [name, procedure] of Object.entries(procedures)) {
      const meta = procedure._def.meta as ProcedureMeta | undefined
      if (meta?.openapi) this.#add(compile(name, procedure, meta))
    }
  }

  #add(route: Route): void {
    this.routes.push(route)
    this.#methodsOf(route.path).set(route.method, route)
  }

  #methodsOf(path: string): Map<string, Route> {
    if (!path.includes("{")) {
      const known = this.#fixed.get(path) ?? new Map()
      this.#fixed.set(path, known)
      return known
    }
    const segments = path.split("/")
    const alike = this.#patterns.get(kindOf(segments)) ?? []
    this.#patterns.set(kindOf(segments), alike)
    const known = alike.find((pattern) => pattern.segments.join("/") === path)
    if (known) return known.routes
    const pattern: Pattern = { segments, routes: new Map() }
    alike.push(pattern)
    return pattern.routes
  }

  /** The endpoint of a raw path below /v1, or null. Vendors' paths may end with a slash, which people add there. */
  match(path: string): Match | null {
    const found = this.#find(path)
    if (found || !path.endsWith("/")) return found
    const match = this.#find(path.slice(0, -1))
    return match && [...match.routes.values()].every(({ meta }) => meta.raw) ? match : null
  }

  #find(path: string): Match | null {
    const fixed = this.#fixed.get(path)
    if (fixed) return { routes: fixed, raw: [] }
    const segments = path.split("/")
    for (const pattern of this.#patterns.get(kindOf(segments)) ?? []) {
      const raw = matchSegments(pattern.segments, segments)
      if (raw) return { routes: pattern.routes, raw }
    }
    return null
  }
}

/** The part that two paths share if one pattern may match both. No path begins with a parameter. */
const kindOf = (segments: readonly string[]): string => `${segments.length}/${segments[1]}`

function matchSegments(pattern: readonly string[], segments: readonly string[]): string[] | null {
  if (pattern.length !== segments.length) return null
  const raw: string[] = []
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i]!
    const segment = segments[i]!
    if (expected.startsWith("{")) {
      if (segment === "") return null
      raw.push(segment)
    } else if (expected !== segment) return null
  }
  return raw
}

function compile(name: string, procedure: Procedure, meta: ProcedureMeta): Route {
  const { method, path } = meta.openapi!
  const shape = shapeOf(procedure._def.inputs[0])
  return {
    method,
    path,
    template: `/v1${path}`,
    name,
    procedure,
    meta,
    fields: new Set(Object.keys(shape)),
    numbers: new Set(Object.keys(shape).filter((field) => isNumber(shape[field]!))),
    amounts: new Set(Object.keys(shape).filter((field) => isAmount(shape[field]!))),
    parameters: [...path.matchAll(/\{([^}]+)\}/g)].map((found) => found[1]!),
  }
}

const shapeOf = (input: unknown): Record<string, z.core.$ZodType> =>
  input === undefined ? {} : ((input as z.ZodObject).shape as Record<string, z.core.$ZodType>)

/** Whether a field is an amount, including optional ones. */
function isAmount(type: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(type)?.id === "Amount") return true
  const { def } = type._zod
  return "innerType" in def && isAmount(def.innerType as z.core.$ZodType)
}

/** Whether a field is a number, including optional ones and ones with a default. */
function isNumber(type: z.core.$ZodType): boolean {
  const { def } = type._zod
  if ("innerType" in def) return isNumber(def.innerType as z.core.$ZodType)
  return def.type === "number"
}
