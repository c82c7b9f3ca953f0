import type { z } from "zod"
import { logger } from "#server/lib/log.ts"
import { fail } from "#shared/errors.ts"

// From before Next replaces it with one that caches.
const { fetch } = globalThis

/** How long a vendor may take for its whole answer. */
const DEADLINE_MS = 10_000
/** Largest answer that is read, in bytes. */
const MAX_BYTES = 256 * 1024

export type VendorCall<Answer extends z.ZodType> = {
  /** Who is asked, for people. */
  label: string
  method: "GET" | "POST"
  url: string
  headers: Record<string, string>
  body?: string
  /** What the answer must be. */
  answer: Answer
  deadline_ms?: number
}

/**
 * Asks a vendor's API. Whatever it answers but what it should is the same trouble to whoever waits: the log says which,
 * and has nothing of what was sent or answered. Errors: provider_unavailable.
 */
export async function callVendor<Answer extends z.ZodType>(
  call: VendorCall<Answer>,
): Promise<z.infer<Answer>> {
  const { label, method, url, headers, body, answer, deadline_ms = DEADLINE_MS } = call
  const response = await trying(label, () =>
    fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // Another address may be anybody's, and the headers hold a secret.
      redirect: "manual",
      signal: AbortSignal.timeout(deadline_ms),
    }),
  )
  const text = await trying(label, () => readBounded(response))
  if (!response.ok) return unavailable(label, `status ${response.status}`)
  const parsed = answer.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  return unavailable(
    label,
    `an answer without ${parsed.error.issues[0]?.path.join(".") || "what it must have"}`,
  )
}

async function trying<T>(label: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: unknown } }
    return unavailable(label, error instanceof TooLarge ? error.message : String(cause?.code ?? name))
  }
}

class TooLarge extends Error {}

async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > MAX_BYTES) throw new TooLarge(`an answer of more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"))
  } catch {
    return undefined
  }
}

function unavailable(label: string, problem: string): never {
  logger.warn({ provider: label, problem }, "a KYC provider does not answer as it should")
  return fail("provider_unavailable", `${label} cannot be reached at the moment. Try again shortly.`)
}
