import type { Shapes } from "./shape.ts"

/** The HTTP server's responses, independent of the method. */
export async function transportShapes(url: string): Promise<Shapes> {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body })
  const text = async (body: string) => {
    const response = await post(body)
    return `${response.status} ${(await response.text()).replace(/"(message|data)":"(?:[^"\\]|\\.)*"/g, '"$1":…').trim()}`
  }
  const call = (id: string, method = "getHealth") => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`
  const headers = async (response: Response, names: string[]) => {
    await response.arrayBuffer()
    return `${response.status} ${names.map((name) => `${name}: ${response.headers.get(name)}`).join(", ")}`
  }
  const cors = [
    "access-control-allow-origin",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
    "vary",
  ]
  const origin = { origin: "http://localhost:3000" }
  const asked = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,solana-client",
  }
  return {
    "id large": await text(call("12345678901234567890")),
    "id beyond u64": await text(call("123456789012345678901234567890")),
    "id negative": await text(call("-1")),
    "id fraction": await text(call("1.5")),
    "id text": await text(call('"a"')),
    "id text of digits": await text(call('"00012345678901234567890"')),
    "id null": await text(call("null")),
    "id object": await text(call("{}")),
    "id bool": await text(call("true")),
    "id none": await text('{"jsonrpc":"2.0","method":"getHealth"}'),
    "params null": await text('{"jsonrpc":"2.0","id":1,"method":"getHealth","params":null}'),
    "params empty object": await text('{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}'),
    "params text": await text('{"jsonrpc":"2.0","id":1,"method":"getHealth","params":"a"}'),
    "params too many": await text('{"jsonrpc":"2.0","id":1,"method":"getHealth","params":[1]}'),
    "version none": await text('{"id":1,"method":"getHealth"}'),
    "version 1": await text('{"jsonrpc":"1.0","id":1,"method":"getHealth"}'),
    "unknown field": await text('{"jsonrpc":"2.0","id":1,"method":"getHealth","extra":1}'),
    "method none": await text('{"jsonrpc":"2.0","id":1}'),
    "method number": await text('{"jsonrpc":"2.0","id":1,"method":1}'),
    "method unknown": await text(call("1", "nonsense")),
    batch: await text(`[${call("1")},${call("12345678901234567890")}]`),
    "batch of wrong": await text(`[${call("1")},1,{"id":2}]`),
    "batch with notification": await text(`[${call("1")},{"jsonrpc":"2.0","method":"getHealth"}]`),
    "batch empty": await text("[]"),
    "no JSON": await text("nonsense"),
    "a number": await text("1"),
    empty: await text(""),
    "GET /health": await headers(await fetch(`${url}/health`), ["content-type"]),
    "GET /": await headers(await fetch(url), ["content-type"]),
    PUT: await headers(await fetch(url, { method: "PUT", body: "{}" }), ["content-type"]),
    "content type text": await headers(await post(call("1"), { "content-type": "text/plain" }), ["content-type"]),
    "content type charset": await headers(
      await post(call("1"), { "content-type": "application/json; charset=utf-8" }),
      ["content-type"],
    ),
    "too large": await headers(await post(`${call("1")}${" ".repeat(60_000)}`), ["content-type"]),
    "CORS preflight": await headers(await fetch(url, { method: "OPTIONS", headers: { ...origin, ...asked } }), cors),
    "CORS answer": await headers(await post(call("1"), origin), cors),
    "no CORS": await headers(await post(call("1")), cors),
    "OPTIONS without origin": await headers(await fetch(url, { method: "OPTIONS" }), cors),
  }
}
