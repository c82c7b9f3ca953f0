import type { Endpoint, Tag } from "./openapi.ts"

export type Sample = { language: "curl" | "TypeScript" | "Python"; code: string }

/** The request in each language. The clients have no methods for requests of KYC providers and for documents. */
export function samplesOf(tag: Tag, endpoint: Endpoint): Sample[] {
  const isLeftOut = endpoint.access === "signature" || tag.name === "Description"
  return [
    { language: "curl", code: curl(endpoint) },
    ...(isLeftOut
      ? []
      : ([
          { language: "TypeScript", code: typescript(endpoint) },
          { language: "Python", code: python(tag, endpoint) },
        ] as const)),
  ]
}

/** The example body. */
export const bodyOf = ({ body }: Endpoint): Record<string, unknown> | null =>
  (body?.example as Record<string, unknown> | undefined) ?? null

/** Parameters of the path and required ones of the query, with their examples. */
export const argumentsOf = ({ parameters }: Endpoint) =>
  parameters
    .filter(({ in: place, required }) => place !== "header" && (place === "path" || required === true))
    .map(({ name, in: place, example }) => ({ name, place, value: String(example ?? `<${name}>`) }))

const isIdempotent = ({ parameters }: Endpoint) => parameters.some(({ name }) => name === "Idempotency-Key")

/** An idempotency key is for one request, so that the sample of another endpoint is not refused for it. */
const exampleKey = ({ id }: Endpoint): string => `${id}-4711`

function curl(endpoint: Endpoint): string {
  const { method, path, access } = endpoint
  const given = argumentsOf(endpoint)
  const filled = given.reduce(
    (address, { name, place, value }) => (place === "path" ? address.replace(`{${name}}`, value) : address),
    path,
  )
  const query = given.filter(({ place }) => place === "query").map(({ name, value }) => `${name}=${value}`)
  const body = bodyOf(endpoint)
  const lines = [
    `curl -s "$VOUCH${filled}${query.length > 0 ? `?${query.join("&")}` : ""}"${method === "GET" ? "" : ` -X ${method}`}`,
    ...(access === "key" ? [`-H "Authorization: Bearer $KEY"`] : []),
    ...(access === "signature"
      ? ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => `-H "${name}: …"`)
      : []),
    ...(isIdempotent(endpoint) ? [`-H "Idempotency-Key: ${exampleKey(endpoint)}"`] : []),
    ...(body === null
      ? []
      : [
          `-H "Content-Type: application/json"`,
          `-d '${shellSafe(JSON.stringify(body, null, 2).replaceAll("\n", "\n  "))}'`,
        ]),
  ]
  return lines.join(" \\\n  ")
}

const shellSafe = (text: string) => text.replaceAll("'", `'\\''`)

function typescript(endpoint: Endpoint): string {
  const fields = [
    ...argumentsOf(endpoint).map(({ name, value }) => [name, value] as const),
    ...Object.entries(bodyOf(endpoint) ?? {}),
  ]
  const options = isIdempotent(endpoint) ? `{ idempotencyKey: "${exampleKey(endpoint)}" }` : null
  const params = fields.length === 0 ? (options ? "{}" : "") : literal(Object.fromEntries(fields))
  const isList = endpoint.parameters.some(({ name }) => name === "cursor") || endpoint.id === "listEvents"
  const call = `vouch.${endpoint.id}(${[params, options].filter(Boolean).join(", ")})`
  return isList ? `for await (const one of ${call}) {\n  console.log(one)\n}` : `console.log(await ${call})`
}

/** A value in TypeScript syntax. */
function literal(value: unknown, indent = ""): string {
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, indent)).join(", ")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const inner = `${indent}  `
  const fields = Object.entries(value).map(([name, field]) => `${inner}${name}: ${literal(field, inner)},\n`)
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`
}

function python(tag: Tag, endpoint: Endpoint): string {
  const module = snake(endpoint.id)
  const body = bodyOf(endpoint)
  const request = `${endpoint.id[0]!.toUpperCase()}${endpoint.id.slice(1)}Request`
  const given = argumentsOf(endpoint).map(({ name, value }) => `${snake(name)}=${JSON.stringify(value)}`)
  const lines = [
    ...given,
    "client=vouch",
    ...(body === null ? [] : [`body=${request}.from_dict(${pythonLiteral(body, "    ")})`]),
    ...(isIdempotent(endpoint) ? [`idempotency_key="${exampleKey(endpoint)}"`] : []),
  ]
  return [
    `from vouch_client.generated.api.${tag.name.toLowerCase().replaceAll(" ", "_")} import ${module}`,
    ...(body === null ? [] : [`from vouch_client.generated.models import ${request}`]),
    "",
    `print(${module}.sync(`,
    ...lines.map((line) => `    ${line},`),
    "))",
  ].join("\n")
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A value in Python syntax. */
function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value)) return `[${value.map((one) => pythonLiteral(one, indent)).join(", ")}]`
  if (typeof value !== "object") return JSON.stringify(value)
  const inner = `${indent}    `
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(field, inner)},\n`,
  )
  return `{\n${fields.join("")}${indent}}`
}
