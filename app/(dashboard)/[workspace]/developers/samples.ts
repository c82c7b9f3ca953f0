/** A request as the quick start shows it. Its body holds strings alone, which every language writes as JSON does. */
export type Call = {
  method: "GET" | "POST"
  /** Below the base URL, query included. */
  path: string
  body?: Record<string, string>
  /** Sends an Idempotency-Key of its own. */
  once?: boolean
}

export type Target = { baseUrl: string; key: string }

/** The languages that the samples are written in. */
export const languages = [
  { id: "curl", name: "curl", write: inCurl },
  { id: "node", name: "Node", write: inNode },
  { id: "python", name: "Python", write: inPython },
] as const

export type Language = (typeof languages)[number]["id"]

// A new key each second: `uuidgen` is not everywhere, and one that stood here would give a refusal back for a day.
function inCurl({ method, path, body, once }: Call, { baseUrl, key }: Target): string {
  return [
    `curl -s ${quoteIfNeeded(baseUrl + path)}`,
    `-H "Authorization: Bearer ${key}"`,
    ...(method === "POST" ? ['-H "Content-Type: application/json"'] : []),
    ...(once ? ['-H "Idempotency-Key: $(date +%s)"'] : []),
    ...(body ? [`-d '${JSON.stringify(body)}'`] : []),
  ].join(" \\\n  ")
}

const quoteIfNeeded = (url: string) => (/[?&]/.test(url) ? `"${url}"` : url)

function inNode({ method, path, body, once }: Call, { baseUrl, key }: Target): string {
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    `    Authorization: "Bearer ${key}",`,
    ...(method === "POST" ? ['    "Content-Type": "application/json",'] : []),
    ...(once ? ['    "Idempotency-Key": crypto.randomUUID(),'] : []),
    "  },",
    ...(body ? [`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), 2)}),`] : []),
  ]
  return [
    `const response = await fetch("${baseUrl}${path}", {`,
    ...options,
    "})",
    "console.log(response.status, await response.json())",
  ].join("\n")
}

function inPython({ method, path, body, once }: Call, { baseUrl, key }: Target): string {
  const headers = [
    `        "Authorization": "Bearer ${key}",`,
    ...(once ? ['        "Idempotency-Key": str(uuid.uuid4()),'] : []),
  ]
  return [
    once ? "import uuid\n\nimport requests" : "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    "${baseUrl}${path}",`,
    "    headers={",
    ...headers,
    "    },",
    ...(body ? [`    json=${indent(JSON.stringify(body, null, 4), 4)},`] : []),
    ")",
    "print(response.status_code, response.json())",
  ].join("\n")
}

const indent = (text: string, by: number) => text.replaceAll("\n", `\n${" ".repeat(by)}`)
