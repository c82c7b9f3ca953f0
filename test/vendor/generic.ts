import { randomBytes, randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { z } from "zod"
import type { OurSession, Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, refused, startHttpDouble } from "./http-double.ts"

const SECRET = `whsec_${randomBytes(24).toString("base64")}`
const TOKEN = "gateway-token-0123456789"

const session = z.strictObject({
  session_id: z.string().startsWith("sess_"),
  investor_id: z.string().startsWith("inv_"),
  schema: z.string(),
  wallet: z.string(),
  return_url: z.url(),
  language: z.string().length(2).nullable(),
})
const reference = z.string().min(1)
/** The requests that Vouch sends (docs/providers/generic.md). The bridge refuses all others. */
const call = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("session.create"), data: session }),
  z.strictObject({ type: z.literal("session.resume"), data: session.extend({ reference }) }),
  z.strictObject({
    type: z.literal("session.read"),
    data: z.strictObject({ session_id: z.string(), reference }),
  }),
  z.strictObject({ type: z.literal("session.redact"), data: z.strictObject({ reference }) }),
  z.strictObject({ type: z.literal("ping"), data: z.strictObject({}) }),
])
type Call = z.infer<typeof call>

type Check = {
  id: string
  sessionId: string
  investorId: string
  said: Record<string, unknown> | null
  isRedacted: boolean
}

const decisionOf = (outcome: Outcome) => (outcome === "withdrawn" ? "rejected" : outcome)

/** The bridge of docs/providers/generic.md. It requires Standard Webhooks signatures. */
export async function startGeneric() {
  const checks = new Map<string, Check>()
  const library = new Webhook(SECRET)

  const http = await startHttpDouble((asked) => {
    const problem = problemOf(asked)
    return problem ?? answer(call.parse(asked.json), String(asked.headers["webhook-id"]))
  })

  function problemOf({ method, path, headers, body, json }: Asked): Answered | null {
    if (method !== "POST" || path !== "/bridge?for=vouch") return refused(404, "no such address")
    if (headers.authorization !== `Bearer ${TOKEN}`) return refused(401, "unknown token")
    try {
      library.verify(body.toString(), headers as Record<string, string>)
    } catch {
      return refused(401, "not signed")
    }
    const parsed = call.safeParse(json)
    return parsed.success ? null : refused(422, parsed.error.issues[0]!.message)
  }

  function answer({ type, data }: Call, id: string): Answered {
    switch (type) {
      case "session.create": {
        if (id !== data.session_id) return refused(422, "webhook-id is not the session")
        const check = checks.get(data.session_id) ?? {
          id: data.session_id.replace("sess_", "check_"),
          sessionId: data.session_id,
          investorId: data.investor_id,
          said: null,
          isRedacted: false,
        }
        checks.set(data.session_id, check)
        return { status: 201, json: opened(check) }
      }
      case "session.resume": {
        const check = find(data.reference)
        return check ? { status: 200, json: opened(check) } : refused(404, "no such check")
      }
      case "session.read": {
        const check = find(data.reference)
        return check ? { status: 200, json: check.said ?? { decision: null } } : refused(404, "no such check")
      }
      case "session.redact": {
        const check = find(data.reference)
        if (check === undefined || check.isRedacted) return refused(check ? 410 : 404, "no such check")
        check.isRedacted = true
        return { status: 204 }
      }
      case "ping":
        return { status: 200, json: {} }
    }
  }

  const find = (id: string) => [...checks.values()].find((check) => check.id === id)

  const opened = ({ id }: Check) => ({
    reference: id,
    url: http.pageUrl(`check/${id}?ticket=${randomUUID()}`),
    usable_until: new Date(Date.now() + 3_600_000).toISOString(),
    more: "that Vouch does not read",
  })

  function event(sessionId: string, said: Record<string, unknown>, type = "verification.completed"): string {
    return JSON.stringify({ type, data: { session_id: sessionId, ...said } })
  }

  return {
    ...http,
    settings: {
      VOUCH_GENERIC_URL: `${http.origin}/bridge?for=vouch`,
      VOUCH_GENERIC_SECRET: SECRET,
      VOUCH_GENERIC_TOKEN: TOKEN,
    } as Record<string, string>,
    wrongSettings: {
      VOUCH_GENERIC_URL: `${http.origin}/bridge?for=vouch`,
      VOUCH_GENERIC_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
      VOUCH_GENERIC_TOKEN: TOKEN,
    },
    secrets: [SECRET, TOKEN, "ticket="],
    personal: ["Katherine", "Johnson"],
    opened: ({ sessionId }: OurSession) => (checks.has(sessionId) ? 1 : 0),
    event,
    /** The investor that it checks for Vouch's session. */
    investorOf: (sessionId: string) => checks.get(sessionId)?.investorId,
    decide({ sessionId }: OurSession, outcome: Outcome, at = new Date()): string {
      const said = {
        decision: decisionOf(outcome),
        occurred_at: at.toISOString(),
        claims: { country: "CA", age_over_18: true, accredited: true, name: "Katherine Johnson" },
      }
      checks.get(sessionId)!.said = said
      return event(sessionId, said)
    },
    signal: (): string[] => [],
    silent({ sessionId, reference }: OurSession): string[] {
      // A bridge sends only events about sessions.
      if (reference !== null) return []
      const occurred_at = new Date().toISOString()
      return [
        event("sess_nobody", { decision: "approved", occurred_at }),
        event(`${sessionId}x`, { decision: "rejected", occurred_at }),
      ]
    },
    sign(body: string, { secret = SECRET, at = new Date() } = {}) {
      const id = `evt_${randomUUID()}`
      const key = secret.startsWith("whsec_") ? secret : Buffer.from(secret).toString("base64")
      return {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(key).sign(id, at, body),
      }
    },
    redacted: (reference: string) => find(reference)!.isRedacted,
  } satisfies VendorDouble & Record<string, unknown>
}

/** Settings for test mode with the sandbox and another provider for one schema, which never decides. */
export const sandboxAndGeneric = {
  VOUCH_TEST_PROVIDER: "sandbox accredited_investor_v1=generic",
  VOUCH_GENERIC_URL: "https://bridge.example.com/",
  VOUCH_GENERIC_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
}
