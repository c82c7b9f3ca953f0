/** A request as the quick start shows it. Its body holds strings alone, which every language writes as JSON does. */
export type Call = {
  method: "GET" | "POST"
  /** Below the base URL, query included. */
  path: string
  body?: Record<string, string>
  /** Sends an Idempotency-Key: its beginning, which says what it is for. */
  once?: string
}

export type Target = {
  baseUrl: string
  key: string
  /**
   * The end of each Idempotency-Key. It stands in the sample as it is: one that the sample made at each run would do the
   * same thing again when it is pasted twice. And it is not the same for good, as a refusal is replayed for a day.
   */
  attempt: string
}

/** The languages that the samples are written in. */
export const languages = [
  { id: "curl", name: "curl", write: inCurl },
  { id: "node", name: "Node", write: inNode },
  { id: "python", name: "Python", write: inPython },
] as const

export type Language = (typeof languages)[number]["id"]

function inCurl({ method, path, body, once }: Call, { baseUrl, key, attempt }: Target): string {
  return [
    `curl -s ${quoteIfNeeded(baseUrl + path)}`,
    `-H "Authorization: Bearer ${key}"`,
    ...(method === "POST" ? ['-H "Content-Type: application/json"'] : []),
    ...(once ? [`-H "Idempotency-Key: ${once}-${attempt}"`] : []),
    ...(body ? [`-d '${JSON.stringify(body)}'`] : []),
  ].join(" \\\n  ")
}

const quoteIfNeeded = (url: string) => (/[?&]/.test(url) ? `"${url}"` : url)

function inNode({ method, path, body, once }: Call, { baseUrl, key, attempt }: Target): string {
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    `    Authorization: "Bearer ${key}",`,
    ...(method === "POST" ? ['    "Content-Type": "application/json",'] : []),
    ...(once ? [`    "Idempotency-Key": "${once}-${attempt}",`] : []),
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

function inPython({ method, path, body, once }: Call, { baseUrl, key, attempt }: Target): string {
  const headers = [
    `        "Authorization": "Bearer ${key}",`,
    ...(once ? [`        "Idempotency-Key": "${once}-${attempt}",`] : []),
  ]
  return [
    "import requests",
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
