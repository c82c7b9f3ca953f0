import type { Scope } from "#shared/scopes.ts"
import { exampleEvent } from "#shared/webhook-event.ts"

/** A request of the quick start. Its body holds strings only, which every language writes as JSON does. */
type Call = {
  method: "GET" | "POST"
  /** Path below the base URL, query included. */
  path: string
  body?: Record<string, string>
  /** The beginning of the Idempotency-Key to send, which names its purpose. */
  once?: string
}

type Target = {
  baseUrl: string
  key: string
  /**
   * The end of each Idempotency-Key. The sample contains it, so that pasting it twice does nothing twice. It changes
   * with each page load, because a refusal is replayed for a day.
   */
  attempt: string
}

export const languages = [
  { id: "curl", name: "curl", docs: "curl", write: inCurl },
  // The documentation's samples for it use our client, which is written in TypeScript.
  { id: "node", name: "Node", docs: "TypeScript", write: inNode },
  { id: "python", name: "Python", docs: "Python", write: inPython },
] as const

export type Language = (typeof languages)[number]["id"]

function inCurl({ method, path, body, once }: Call, { baseUrl, key, attempt }: Target): string {
  return [
    `curl -s ${quoteIfNeeded(baseUrl + path)}`,
    `-H "Authorization: Bearer ${key}"`,
    ...(method === "POST" ? ['-H "Content-Type: application/json"'] : []),
    ...(once ? [`-H "Idempotency-Key: ${once}-${attempt}"`] : []),
    ...(body ? [`-d '${indent(JSON.stringify(body, null, 2), 2)}'`] : []),
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

/** The example wallet of the API's documentation. No one has its key. */
const WALLET = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const SCHEMA = "kyc_individual_v1"

/** What exists in each new workspace. */
export const usual = { schema: SCHEMA, mintConfig: "us_real_estate_fund_v1" }

/** The requests of the first hour with the API, for a schema and a token of the reader's workspace. */
export const stepsFor = ({ schema, mintConfig }: typeof usual) =>
  ({
    start: {
      title: "Start a verification",
      scope: "kyc:write",
      call: {
        method: "POST",
        path: "/kyc/start",
        body: { userPubkey: WALLET, schemaId: schema },
        once: "start",
      },
    },
    status: {
      title: "Get the wallet's status",
      scope: "kyc:read",
      call: { method: "GET", path: `/kyc/status/${WALLET}?schema=${schema}` },
    },
    mint: {
      title: "Mint to the wallet",
      scope: "token:mint",
      call: {
        method: "POST",
        path: "/token/mint",
        body: { user_pubkey: WALLET, mint_config: mintConfig, amount: "100" },
        once: "mint",
      },
    },
  }) satisfies Record<string, { title: string; scope: Scope; call: Call }>

/** The scopes of the requests that a key with `scopes` cannot send. */
export const missingScopes = (scopes: readonly Scope[]): Scope[] =>
  Object.values(stepsFor(usual))
    .map(({ scope }) => scope)
    .filter((scope) => !scopes.includes(scope))

/** How a KYC provider reports: it signs the exact bytes of the body, as Standard Webhooks defines. */
export const webhookSample = (baseUrl: string) => `import { createHmac, randomUUID } from "node:crypto"

const secret = Buffer.from(process.env.VOUCH_WEBHOOK_SECRET.replace("whsec_", ""), "base64")
const id = \`evt_\${randomUUID()}\`
const timestamp = String(Math.floor(Date.now() / 1000))
const body = JSON.stringify({
  type: "${exampleEvent.type}",
  data: {
    session_id: process.env.SESSION_ID,
    decision: "${exampleEvent.data.decision}",
    occurred_at: \`\${new Date().toISOString().slice(0, 19)}Z\`,
    claims: ${literal(exampleEvent.data.claims)},
  },
})
const signature = createHmac("sha256", secret).update(\`\${id}.\${timestamp}.\${body}\`).digest("base64")

const response = await fetch("${baseUrl}/kyc/webhook", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": \`v1,\${signature}\`,
  },
  body,
})
console.log(response.status, await response.json())`

/** An object on one line, in the usual JavaScript style. */
const literal = (object: Record<string, unknown>) =>
  `{ ${Object.entries(object)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ")} }`
