/** JSON-RPC 2.0 as a cluster speaks it, for any transport. */

export type Params = readonly unknown[]
export type Method = (params: Params) => unknown
export type Methods = Record<string, Method>

type Id = string | number | null
type Call = { jsonrpc: "2.0"; id: Id; method: string; params: Params }
type RpcErrorBody = { code: number; message: string; data?: unknown }
export type Response = { jsonrpc: "2.0"; id: Id; result?: unknown; error?: RpcErrorBody }

/** An error that goes to the caller as it is. Codes: JSON-RPC 2.0 and agave's `rpc-client-types` custom errors. */
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

/** The answer to a request's parsed JSON: one call or a batch; undefined when it held notifications only. */
export function answer(
  methods: ReadonlyMap<string, Method>,
  request: unknown,
): Response | Response[] | undefined {
  if (!Array.isArray(request)) return answerOne(methods, request)
  if (request.length === 0) return errorResponse(null, -32600, "Invalid request")
  const responses = request.map((one) => answerOne(methods, one)).filter((one) => one !== undefined)
  return responses.length === 0 ? undefined : responses
}

export const parseError = () => errorResponse(null, -32700, "Parse error")

function answerOne(methods: ReadonlyMap<string, Method>, request: unknown): Response | undefined {
  const call = readCall(request)
  if (call === null) return errorResponse(null, -32600, "Invalid request")
  const response = perform(methods, call)
  const isNotification = typeof request === "object" && request !== null && !("id" in request)
  return isNotification ? undefined : response
}

function perform(methods: ReadonlyMap<string, Method>, { id, method, params }: Call): Response {
  const run = methods.get(method)
  if (run === undefined) return errorResponse(id, -32601, "Method not found")
  try {
    return { jsonrpc: "2.0", id, result: run(params) }
  } catch (error) {
    if (error instanceof RpcError) return errorResponse(id, error.code, error.message, error.data)
    console.error(`localnet: ${method} failed`, error)
    return errorResponse(id, -32603, "Internal error")
  }
}

export function methodsOf(request: unknown): string[] {
  const calls = Array.isArray(request) ? request : [request]
  return calls.map((call) => readCall(call)?.method ?? "")
}

function readCall(request: unknown): Call | null {
  if (typeof request !== "object" || request === null) return null
  const { id = null, method, params = [] } = request as Record<string, unknown>
  if (typeof method !== "string" || !Array.isArray(params)) return null
  if (id !== null && typeof id !== "string" && typeof id !== "number") return null
  return { jsonrpc: "2.0", id, method, params }
}

function errorResponse(id: Id, code: number, message: string, data?: unknown): Response {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } }
}
