import { z } from "zod"
import { logger } from "#server/lib/log.ts"
import { readBounded, TooLarge } from "#server/lib/read-bounded.ts"
import { plainText } from "#server/lib/text.ts"
import { Failure } from "#shared/errors.ts"

// From before Next replaces it with one that caches.
const { fetch } = globalThis

/** How long a vendor may take for its whole answer; tests of slow ones wait less. */
export const vendorDeadline = { ms: 10_000 }
/** Largest answer that is read, in bytes. */
const MAX_BYTES = 256 * 1024

/** A vendor's id of something. With a character that the database cannot hold, each repeat of an event would be another 5xx. */
export const vendorId = plainText(200)

export type VendorCall<Answer extends z.ZodType> = {
  /** Who is asked, for people. */
  label: string
  method: "GET" | "POST" | "PATCH" | "DELETE"
  url: string
  headers: Record<string, string>
  body?: string
  /** What the answer must be; `undefined` is one without a body. What is no JSON is none. */
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
  const { label } = call
  const { response, text } = await ask(call)
  if (!response.ok) return unavailable(label, `status ${response.status}`, response.status)
  return read(call, text)
}

/** As `callVendor`, for what may not be there: null where the vendor knows of none. Errors: provider_unavailable. */
export async function findAtVendor<Answer extends z.ZodType>(
  call: VendorCall<Answer>,
): Promise<z.infer<Answer> | null> {
  const { label } = call
  const { response, text } = await ask(call)
  if (response.status === 404 || response.status === 410) return null
  if (!response.ok) return unavailable(label, `status ${response.status}`, response.status)
  return read(call, text)
}

/** An answer about somebody else must decide nothing: `answered` is whom it names. Errors: provider_unavailable. */
export function requireAbout(label: string, asked: string, answered: string | undefined): void {
  if (answered !== asked) unavailable(label, "an answer about something else than what was asked about")
}

/** Statuses by which a vendor may refuse to delete what it has deleted. */
const REFUSALS = [400, 409, 422]

/**
 * Has a vendor delete something. It is done, too, where the vendor knows nothing of it, and where it refuses and `isGone`
 * finds that it was deleted before: by a request whose answer was lost, or in the vendor's dashboard. Errors:
 * provider_unavailable.
 */
export async function deleteAtVendor(
  call: Omit<VendorCall<z.ZodType>, "answer">,
  isGone: () => Promise<boolean>,
): Promise<void> {
  try {
    await findAtVendor({ ...call, answer: z.unknown() })
  } catch (error) {
    const isRefused = error instanceof VendorTrouble && REFUSALS.includes(error.status ?? 0)
    if (!isRefused || !(await isGone())) throw error
  }
}

async function ask({
  label,
  method,
  url,
  headers,
  body,
  deadline_ms,
}: Omit<VendorCall<z.ZodType>, "answer">) {
  const response = await trying(label, () =>
    fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // Another address may be anybody's, and the headers hold a secret.
      redirect: "manual",
      signal: AbortSignal.timeout(deadline_ms ?? vendorDeadline.ms),
    }),
  )
  return { response, text: await trying(label, () => readBounded(response, MAX_BYTES)) }
}

function read<Answer extends z.ZodType>(
  { label, answer }: VendorCall<Answer>,
  text: Buffer,
): z.infer<Answer> {
  const json = parseJson(text)
  // A page of somebody else's, such as of a proxy or of a wrong address, must not pass for a consent.
  if (json === NO_JSON) return unavailable(label, "an answer that is no JSON")
  const parsed = answer.safeParse(json)
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

const NO_JSON = Symbol("no JSON")

function parseJson(text: Buffer): unknown {
  if (text.length === 0) return undefined
  try {
    return JSON.parse(text.toString("utf8"))
  } catch {
    return NO_JSON
  }
}

/** A vendor that does not answer as it should: one trouble to whoever waits, and to us what it was. */
export class VendorTrouble extends Failure {
  /** The status of its refusal; null where there is no answer, or none that can be read. */
  readonly status: number | null
  /** In words, without anything that was sent or received. */
  readonly problem: string
  constructor(label: string, problem: string, status: number | null) {
    super("provider_unavailable", `${label} cannot be reached at the moment. Try again shortly.`)
    this.problem = problem
    this.status = status
  }
}

function unavailable(label: string, problem: string, status: number | null = null): never {
  logger.warn({ provider: label, problem }, "a KYC provider does not answer as it should")
  throw new VendorTrouble(label, problem, status)
}
