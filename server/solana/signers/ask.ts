import { readBounded } from "#server/lib/read-bounded.ts"
import { SignerFailure } from "./definition.ts"

// Read before Next replaces it with one that caches.
const { fetch } = globalThis

/** Maximum size of an answer in bytes. */
const MAX_BYTES = 64 * 1024

type Question = {
  /** Name of the service, for people. */
  label: string
  url: string
  headers: Record<string, string>
  /** Sent as JSON by POST; without a body, the request is a GET. */
  body?: object
  signal: AbortSignal
  /** The reason in the body of a refusal, if it may be shown. */
  reasonOf: (answer: unknown) => string | null
}

/** Calls a key service over HTTP and returns its JSON. Throws SignerFailure, which contains nothing that was sent. */
export async function ask({ label, url, headers, body, signal, reasonOf }: Question): Promise<unknown> {
  let response: Response
  let text: Buffer
  try {
    response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      // Never follow a redirect: the headers contain a token.
      redirect: "manual",
      signal,
    })
    text = await readBounded(response, MAX_BYTES)
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: unknown } }
    throw new SignerFailure(`${label} cannot be reached: ${String(cause?.code ?? name)}`, { passing: true })
  }
  const answer = readJson(text)
  if (response.ok && answer !== undefined) return answer
  const reason = response.ok ? "no JSON" : reasonOf(answer)
  throw new SignerFailure(`${label} answered ${response.status}${reason === null ? "" : `: ${reason.slice(0, 200)}`}`, {
    passing: response.status >= 500 || response.status === 429,
  })
}

function readJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"))
  } catch {
    return undefined
  }
}

/** Decodes base64 from a service. Throws SignerFailure if the length is wrong. */
export function bytesOf(label: string, text: unknown, length: number): Uint8Array {
  const bytes = typeof text === "string" ? Buffer.from(text, "base64") : Buffer.alloc(0)
  if (bytes.length === length) return bytes
  throw new SignerFailure(`${label} answered without ${length} bytes in base64`)
}
