import type { IncomingMessage, ServerResponse } from "node:http"
import { type Span, tracer } from "#server/lib/trace.ts"

/** The span of a request, null if it is not recorded. It contains the route's template, never the path. */
export function beginTrace({ method = "GET", headers }: IncomingMessage): Span | null {
  if (tracer === null) return null
  // Node joins two headers to one text, which is then not a valid traceparent.
  const { traceparent } = headers
  return tracer.begin(method, typeof traceparent === "string" ? traceparent : undefined, {
    kind: "server",
    attributes: { "http.request.method": method },
  })
}

export function endTrace(span: Span, { method }: IncomingMessage, response: ServerResponse, route: string) {
  const { statusCode } = response
  span.rename(`${method} ${route}`)
  span.set({ "http.route": route, "http.response.status_code": statusCode })
  span.end(statusCode >= 500 ? { error: `status ${statusCode}` } : {})
}
