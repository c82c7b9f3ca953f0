import { createHmac, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { z } from "zod"

const API_KEY = "ek_test_0123456789"
const SECRET = "example secret"

/** The fields that the API accepts. It refuses others. */
const check = z.strictObject({
  reference: z.string().min(1).max(200),
  level: z.string(),
  return_url: z.url(),
  language: z.string().length(2).optional(),
})
type Check = z.infer<typeof check> & { id: string; body: string; result: Result }
/** The result of a check; an open check has none. */
type Result = { status: string; decided_at: string | null; country?: string }

/** What is wrong with responses: none, an error, not JSON, missing fields, too long, another address. */
export type Fault = "hangs" | "fails" | "rubbish" | "lacks" | "floods" | "redirects" | "unsafe"

export type Vendor = Awaited<ReturnType<typeof startVendor>>

/**
 * Another company's server, over real HTTP. It checks requests like that company, and verifies people on its own page.
 */
export async function startVendor() {
  const checks = new Map<string, Check>()
  const byKey = new Map<string, Check>()
  const redacted = new Set<string>()
  const requests: { path: string; status: number }[] = []
  const held: (() => void)[] = []
  let fault: Fault | null = null
  let webhooks = ""
  let once = false
  let minutes = 60

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!
    // A browser on the company's page requests it.
    if (path === "/favicon.ico") return void response.writeHead(204).end()
    const body = await textOf(request)
    const [, pageOf] = /^\/page\/([\w-]+)/.exec(path) ?? []
    if (pageOf !== undefined) return showPage(request, response, { id: pageOf, body })
    const say = (status: number, json: object) => {
      requests.push({ path, status })
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json))
    }
    if (request.headers.authorization !== `Bearer ${API_KEY}`) return say(401, { error: "unknown key" })
    if (path === "/account") return say(200, { name: "Vouch" })
    const [, asked] = (request.method === "GET" && /^\/checks\/([\w-]+)$/.exec(path)) || []
    if (asked !== undefined) return tell(asked, say)
    if (request.method !== "POST" || request.headers["content-type"] !== "application/json")
      return say(415, { error: "JSON, please" })
    const [, erased] = /^\/checks\/([\w-]+)\/redact$/.exec(path) ?? []
    if (erased !== undefined) return redact(erased, say)
    const [, resumed] = /^\/checks\/([\w-]+)\/links$/.exec(path) ?? []
    const opened = resumed === undefined ? open(request, path, body) : checks.get(resumed)
    if (typeof opened === "string") return say(Number(opened.slice(0, 3)), { error: opened.slice(4) })
    if (opened === undefined) return say(404, { error: "no such check" })
    // The request has taken effect at this point, even if the response gets lost.
    const url = `${origin}/page/${opened.id}?ticket=${randomUUID()}`
    const expires_at = new Date(Date.now() + minutes * 60_000).toISOString()
    const page = { id: opened.id, url, expires_at, once }
    switch (fault) {
      case "hangs":
        requests.push({ path, status: 0 })
        await new Promise<void>((resolve) => held.push(resolve))
        return void response.destroy()
      case "fails":
        return say(500, { error: "out of order" })
      case "rubbish":
        requests.push({ path, status: 200 })
        return void response.writeHead(200).end("<html>Welcome to nginx</html>")
      case "lacks":
        return say(200, { ...page, url: undefined })
      case "floods":
        return say(200, { ...page, more: "x".repeat(1024 * 1024) })
      case "redirects":
        requests.push({ path, status: 307 })
        return void response.writeHead(307, { location: `${origin}/elsewhere` }).end()
      case "unsafe":
        return say(200, { ...page, url: "javascript:alert(1)" })
      default:
        return say(201, page)
    }
  }

  /** Answers with the result of a check. */
  function tell(id: string, say: (status: number, json: object) => void): void {
    const one = checks.get(id)
    if (fault === "fails") say(500, { error: "out of order" })
    else if (one) say(200, { id, ...one.result })
    else say(404, { error: "no such check" })
  }

  /** Deletes the person of a check. A repeat has no further effect. */
  function redact(id: string, say: (status: number, json: object) => void) {
    if (fault === "fails") return say(500, { error: "out of order" })
    if (!checks.has(id)) return say(404, { error: "no such check" })
    redacted.add(id)
    say(200, { id, redacted: true })
  }

  /** Opens a check, or returns the one with the same key. Returns a text for an error. */
  function open(request: IncomingMessage, path: string, body: string): Check | string | undefined {
    if (path !== "/checks") return undefined
    const key = request.headers["idempotency-key"]
    if (typeof key !== "string" || key.length > 255) return "400 Idempotency-Key is missing"
    const parsed = check.safeParse(JSON.parse(body))
    if (!parsed.success) return `422 ${parsed.error.issues[0]!.message}`
    const before = byKey.get(key)
    if (before && before.body !== body) return "409 another request had this key"
    const opened = before ?? {
      ...parsed.data,
      id: randomUUID(),
      body,
      result: { status: "open", decided_at: null },
    }
    checks.set(opened.id, opened)
    byKey.set(key, opened)
    return opened
  }

  /** The company's page: buttons for the result, and the way back. */
  async function showPage(
    request: IncomingMessage,
    response: ServerResponse,
    { id, body }: { id: string; body: string },
  ): Promise<void> {
    const one = checks.get(id)
    if (!one) return void response.writeHead(404).end()
    if (request.method === "POST") {
      const status = new URLSearchParams(body).get("status")
      if (status !== null && status !== "later") await report(one.reference, status)
      return void response.writeHead(303, { location: one.return_url }).end()
    }
    const html = `<!doctype html><html lang="en"><title>Example ID</title><h1>Example ID</h1><form method="post">
      <button name="status" value="passed">Pass</button> <button name="status" value="more_needed">Fail to read</button>
      <button name="status" value="later">Later</button></form></html>`
    response.writeHead(200, { "content-type": "text/html" }).end(html)
  }

  /** Decides without sending a webhook, as if it was lost. */
  function decide(reference: string, status: string, at = new Date()): void {
    for (const one of checks.values()) {
      if (one.reference === reference) one.result = { status, decided_at: at.toISOString(), country: "US" }
    }
  }

  /** Reports a check by a signed webhook. */
  async function report(
    reference: string,
    status: string,
    { to = webhooks, id = String(randomUUID()), type = "check.finished", secret = SECRET, ageSeconds = 0 } = {},
  ) {
    const at = new Date(Date.now() - ageSeconds * 1000)
    const seconds = Math.floor(at.getTime() / 1000)
    const body = JSON.stringify({
      id,
      type,
      created_at: at.toISOString(),
      check: { reference, status, country: "US" },
    })
    const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
    const response = await fetch(to, {
      method: "POST",
      headers: { "content-type": "application/json", "example-signature": `t=${seconds},v1=${mac}` },
      body,
    })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    /** Vouch's settings for this vendor. */
    settings: {
      VOUCH_EXAMPLEID_URL: origin,
      VOUCH_EXAMPLEID_API_KEY: API_KEY,
      VOUCH_EXAMPLEID_SECRET: SECRET,
    },
    secrets: [API_KEY, SECRET],
    /** Every call of its API with the status of the response; 0 for none. */
    requests,
    /** The checks that it has opened for a reference. */
    opened: (reference: string) => [...checks.values()].filter((one) => one.reference === reference),
    /** Whether it has deleted a check's data. */
    hasRedacted: (id: string) => redacted.has(id),
    report,
    decide,
    misbehave(as: Fault | null): void {
      fault = as
      for (const release of held.splice(0)) release()
    },
    /** Sets how long, or how often, the addresses of its pages work. */
    links(kind: { once?: boolean; minutes?: number }): void {
      once = kind.once ?? false
      minutes = kind.minutes ?? 60
    },
    /** Sets where its page sends webhooks. */
    reportTo(url: string): void {
      webhooks = url
    },
    async stop(): Promise<void> {
      for (const release of held.splice(0)) release()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
