import { type FormEvent, useId, useRef, useState } from "react"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox, Input, Label, Textarea } from "#app/components/ui/input.tsx"

export type Attempt = {
  method: string
  path: string
  takesKey: boolean
  isIdempotent: boolean
  parameters: { name: string; place: "path" | "query"; isRequired: boolean; example: string }[]
  /** The example body as JSON, null if the endpoint takes none. */
  body: string | null
}

type Outcome =
  | { kind: "sending" }
  | { kind: "failed"; why: string }
  | { kind: "answered"; status: number; took_ms: number; requestId: string | null; body: string }

/** The API key entered on this page. It is never stored or put in an address. */
let lastKey = ""

const MOST = 100_000

/** Sends one request with the entered values to this server. */
export function TryPanel({ method, path, takesKey, isIdempotent, parameters, body }: Attempt) {
  const id = useId()
  const [key, setKey] = useState(lastKey)
  const [values, setValues] = useState(() => Object.fromEntries(parameters.map(({ name, example }) => [name, example])))
  const [json, setJson] = useState(body ?? "")
  const [isMeant, setMeant] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const running = useRef<AbortController | null>(null)
  const isReal = takesKey && method !== "GET" && key.trim().startsWith("vouch_live_")

  async function send(event: FormEvent) {
    event.preventDefault()
    if (running.current) return
    const why = mistake(body === null ? null : json, { method, isReal, isMeant })
    if (why !== null) return setOutcome({ kind: "failed", why })
    const leaving = new AbortController()
    running.current = leaving
    setOutcome({ kind: "sending" })
    const begun = performance.now()
    try {
      const response = await fetch(addressOf(path, parameters, values), {
        method,
        credentials: "omit",
        signal: leaving.signal,
        headers: {
          ...(takesKey && { Authorization: `Bearer ${key.trim()}` }),
          ...(body !== null && { "Content-Type": "application/json" }),
          ...(isIdempotent && { "Idempotency-Key": crypto.randomUUID() }),
        },
        ...(body !== null && { body: json }),
      })
      const text = await response.text()
      setOutcome({
        kind: "answered",
        status: response.status,
        took_ms: Math.round(performance.now() - begun),
        requestId: response.headers.get("x-request-id"),
        body: pretty(text),
      })
    } catch {
      const why = leaving.signal.aborted
        ? "Stopped. The server may have processed the request already."
        : "The server is unreachable, or the API key contains invalid characters. Check both and try again."
      setOutcome({ kind: "failed", why })
    } finally {
      running.current = null
    }
  }

  return (
    <form onSubmit={send} className="mt-3 space-y-3 rounded-xl border border-line bg-surface p-4">
      {takesKey && (
        <div>
          <Label htmlFor={`${id}-key`}>API key</Label>
          <Input
            id={`${id}-key`}
            className="font-mono [-webkit-text-security:disc]"
            placeholder="vouch_test_…"
            required
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={({ target }) => {
              setKey(target.value)
              lastKey = target.value
            }}
          />
          <p className="mt-1 text-[13px] text-muted">It stays on this page until you leave it, and is not stored.</p>
        </div>
      )}
      {parameters.map(({ name, place, isRequired }) => (
        <div key={name}>
          <Label htmlFor={`${id}-${name}`}>
            {name} <span className="font-normal text-muted">{isRequired ? "" : `optional, in the ${place}`}</span>
          </Label>
          <Input
            id={`${id}-${name}`}
            className="font-mono"
            required={isRequired}
            autoComplete="off"
            spellCheck={false}
            value={values[name]}
            onChange={({ target }) => setValues({ ...values, [name]: target.value })}
          />
        </div>
      ))}
      {body !== null && (
        <div>
          <Label htmlFor={`${id}-body`}>Body</Label>
          <Textarea
            id={`${id}-body`}
            className="font-mono text-[13px]!"
            rows={Math.min(14, json.split("\n").length + 1)}
            spellCheck={false}
            value={json}
            onChange={({ target }) => setJson(target.value)}
          />
        </div>
      )}
      {isReal && (
        <Checkbox
          checked={isMeant}
          onChange={({ target }) => setMeant(target.checked)}
          hint="This key belongs to a live workspace: the request takes real effect."
        >
          Send this request to the live workspace
        </Checkbox>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" pending={outcome?.kind === "sending"}>
          Send {method}
        </Button>
        {outcome?.kind === "sending" && <Button onClick={() => running.current?.abort()}>Stop</Button>}
      </div>
      <div role="status">{outcome && <Shown outcome={outcome} of={`${method} ${path}`} />}</div>
    </form>
  )
}

function Shown({ outcome, of }: { outcome: Outcome; of: string }) {
  if (outcome.kind === "sending") return <p className="text-muted">Waiting for the answer…</p>
  if (outcome.kind === "failed") return <p className="text-danger">{outcome.why}</p>
  const { status, took_ms, requestId, body } = outcome
  return (
    <>
      <p className="text-[13px] text-muted">
        <span className={`font-medium ${status < 300 ? "text-accent" : "text-danger"}`}>{status}</span> in {took_ms} ms
        {requestId && `, request ${requestId}`}
      </p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
        tabIndex={0}
        aria-label={`Answer of ${of}`}
        className="mt-1 max-h-96 overflow-auto rounded-lg bg-sunken p-3"
      >
        <pre className="font-mono text-[13px]">{body === "" ? "No body" : body}</pre>
      </section>
    </>
  )
}

/** Why the request cannot be sent, in words. Null if it can. */
function mistake(
  json: string | null,
  { method, isReal, isMeant }: { method: string; isReal: boolean; isMeant: boolean },
): string | null {
  if (isReal && !isMeant) return `Confirm that you want to send this ${method}: the key belongs to a live workspace.`
  if (json === null) return null
  try {
    JSON.parse(json)
    return null
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}`
  }
}

function addressOf(path: string, parameters: Attempt["parameters"], values: Record<string, string>): string {
  const query = new URLSearchParams()
  let address = path
  for (const { name, place } of parameters) {
    const value = values[name]!.trim()
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== "") query.set(name, value)
  }
  return `/v1${address}${query.size > 0 ? `?${query}` : ""}`
}

function pretty(text: string): string {
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2))
  } catch {
    return cut(text)
  }
}

const cut = (text: string) =>
  text.length > MOST ? `${text.slice(0, MOST)}\n… and ${text.length - MOST} characters more` : text
