/** JSON-RPC 2.0 as on a cluster, for any transport. */

type Params = readonly unknown[]
export type Method = (params: Params) => unknown
export type Methods = Record<string, Method>

/** Numbers are u64. Those beyond a JavaScript number are bigint here, and the same digits in the response. */
type Id = string | number | bigint | null
type RpcErrorBody = { code: number; message: string; data?: unknown }
export type Response = { jsonrpc?: "2.0"; result?: unknown; error?: RpcErrorBody; id: unknown }

/** An error for the caller. Codes are those of JSON-RPC 2.0 and of agave's `rpc-client-types`. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidParams = (message: string) => new RpcError(-32602, message)

const MAX_U64 = 2n ** 64n - 1n
/** A u64 beyond a JavaScript number, as JSON. */
export const u64 = (value: bigint): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))

/** Parses a request's JSON, with whole numbers that would be rounded as bigint. Undefined if it is not JSON. */
export function parseRequest(text: string): unknown {
  try {
    // Reading each number's source is slow, and few requests have such a long number.
    return /[0-9]{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
  } catch {
    return undefined
  }
}

const exact = (_key: string, value: unknown, context?: { source?: string }) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^[0-9]+$/.test(context?.source ?? "")
    ? BigInt(context!.source!)
    : value

/** Answers a parsed request: one call or a batch. Undefined if it has only notifications. */
export function answer(methods: ReadonlyMap<string, Method>, request: unknown): Response | Response[] | undefined {
  const calls = Array.isArray(request) ? request : [request]
  if (!calls.every(isCall)) return parseError()
  const responses = calls.map((one) => answerOne(methods, one)).filter((one) => one !== undefined)
  return responses.length === 0 ? undefined : Array.isArray(request) ? responses : responses[0]
}

export const parseError = () => errorResponse(null, -32700, "Parse error")

type Call = Record<string, unknown>

/** A call must be an object, and its id valid. */
const isCall = (request: unknown): request is Call =>
  typeof request === "object" && request !== null && isId((request as Call).id ?? null)

const isId = (id: unknown): id is Id =>
  id === null ||
  typeof id === "string" ||
  (typeof id === "number" && Number.isSafeInteger(id) && id >= 0) ||
  (typeof id === "bigint" && id <= MAX_U64)

const FIELDS = new Set(["jsonrpc", "id", "method", "params"])

function answerOne(methods: ReadonlyMap<string, Method>, call: Call): Response | undefined {
  const { jsonrpc, method, params = null } = call
  const id = (call.id ?? null) as Id
  const isValid =
    jsonrpc === "2.0" &&
    typeof method === "string" &&
    typeof params === "object" &&
    Object.keys(call).every((name) => FIELDS.has(name))
  if (!isValid) {
    const refusal = errorResponse(id, -32600, "Invalid request")
    return jsonrpc === undefined ? { error: refusal.error!, id: refusal.id } : refusal
  }
  const response = perform(methods, method, params, id)
  return "id" in call ? response : undefined
}

function perform(methods: ReadonlyMap<string, Method>, method: string, params: object | null, id: Id): Response {
  const run = methods.get(method)
  if (run === undefined) return errorResponse(id, -32601, "Method not found")
  try {
    const given: unknown = params ?? []
    if (!Array.isArray(given)) throw invalidParams("Invalid params: an array is expected")
    return { jsonrpc: "2.0", result: run(given), id: idView(id) }
  } catch (error) {
    if (error instanceof RpcError) return errorResponse(id, error.code, error.message, error.data)
    console.error(`localnet: ${method} failed`, error)
    return errorResponse(id, -32603, "Internal error")
  }
}

export function methodsOf(request: unknown): string[] {
  const calls = Array.isArray(request) ? request : [request]
  return calls.map((call) => (isCall(call) && typeof call.method === "string" ? call.method : ""))
}

/** Makes methods refuse more parameters than they take, as on a cluster. A method without a limit takes any number. */
export function withLimits(methods: Methods, limits: Readonly<Record<string, number>>): Methods {
  const limited = ([name, run]: [string, Method]): [string, Method] => {
    const max = limits[name] ?? Number.POSITIVE_INFINITY
    const check: Method = (params) => {
      if (params.length <= max) return run(params)
      const data = max === 0 ? `Array(${JSON.stringify(params)})` : `"Got: ${params.length}"`
      throw new RpcError(-32602, "Invalid params: too many", data)
    }
    return [name, check]
  }
  return Object.fromEntries(Object.entries(methods).map(limited))
}

const idView = (id: Id) => (typeof id === "bigint" ? u64(id) : id)

function errorResponse(id: Id, code: number, message: string, data?: unknown): Response {
  const error = data === undefined ? { code, message } : { code, message, data }
  return { jsonrpc: "2.0", error, id: idView(id) }
}
