// A bridge between Vouch and a KYC vendor. Copy it, and call your vendor where the comments say: here, its own page
// stands in.
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const { PORT, BRIDGE_URL, GENERIC_SECRET, VOUCH_WEBHOOK } = process.env
const webhook = new Webhook(GENERIC_SECRET)
const checks = new Map() // use your database: our reference → the session, and what was decided

const opened = (reference) => ({ reference, url: `${BRIDGE_URL}/${reference}`, usable_until: inHours(24) })
const inHours = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString()

const answers = {
  ping: () => ({}),
  "session.create"(session) {
    // Ask your vendor for a session here, with session_id as its idempotency key; answer with its id and address.
    if (!checks.has(session.session_id)) checks.set(session.session_id, { session, said: null })
    return opened(session.session_id)
  },
  "session.resume": ({ reference }) => opened(reference), // a fresh address of the same check, or a new check
  "session.read": ({ reference }) => checks.get(reference).said ?? { decision: null },
  "session.redact": ({ reference }) => ({ done: checks.delete(reference) }), // have your vendor delete the person
}

// Call it where your vendor's webhook says what was decided, once you have verified that webhook.
async function decided(reference, said) {
  const check = Object.assign(checks.get(reference), { said })
  const data = { session_id: check.session.session_id, ...said }
  const body = JSON.stringify({ type: "verification.completed", data })
  const [id, at] = [`${reference} ${said.decision}`, new Date()]
  const signed = { "webhook-id": id, "webhook-signature": webhook.sign(id, at, body) }
  const headers = { ...signed, "webhook-timestamp": String(Math.floor(at / 1000)) }
  await fetch(VOUCH_WEBHOOK, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  })
}

createServer(async (request, response) => {
  const check = checks.get(request.url.slice(1))
  if (check && request.method === "GET") return response.end('<form method="post"><button>Approve</button></form>')
  if (check) {
    const said = {
      decision: "approved",
      occurred_at: inHours(0),
      claims: { country: "US", age_over_18: true },
    }
    await decided(request.url.slice(1), said)
    return response.writeHead(303, { location: check.session.return_url }).end()
  }
  try {
    const { type, data } = webhook.verify((await request.toArray()).join(""), request.headers)
    response.end(JSON.stringify(answers[type](data)))
  } catch {
    response.writeHead(400).end() // not signed, too old, or unknown
  }
}).listen(PORT)
