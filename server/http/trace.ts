import type { IncomingMessage, ServerResponse } from "node:http"
import { type Span, tracer } from "#server/lib/trace.ts"

/** The span of a request; null where none is recorded. Nothing of its address is in it but the template, at its end. */
export function beginTrace({ method = "GET", headers }: IncomingMessage): Span | null {
  if (tracer === null) return null
  // Of two headers Node makes one text, which is then no traceparent.
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
