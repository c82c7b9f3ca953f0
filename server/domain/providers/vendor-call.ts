import { z } from "zod"
import { logger } from "#server/lib/log.ts"
import { readBounded, TooLarge } from "#server/lib/read-bounded.ts"
import { plainText } from "#server/lib/text.ts"
import { Failure } from "#shared/errors.ts"

// Taken before Next replaces it with a caching version.
const { fetch } = globalThis

/** How long a vendor's whole answer may take. Tests of slow vendors shorten it. */
export const vendorDeadline = { ms: 10_000 }
/** The largest answer to read, in bytes. */
const MAX_BYTES = 256 * 1024

/** An id from a vendor. Characters that the database cannot store would make every repeat of an event a 5xx. */
export const vendorId = plainText(200)

export type VendorCall<Answer extends z.ZodType> = {
  /** The vendor's name for people. */
  label: string
  method: "GET" | "POST" | "PATCH" | "DELETE"
  url: string
  headers: Record<string, string>
  body?: string
  /** Schema of the answer; `undefined` for one without a body. Anything but JSON fails. */
  answer: Answer
  deadline_ms?: number
}

/**
 * Calls a vendor's API. The caller gets the same error for every unexpected answer. The log says which, without
 * anything that was sent or received. Errors: provider_unavailable.
 */
export async function callVendor<Answer extends z.ZodType>(call: VendorCall<Answer>): Promise<z.infer<Answer>> {
  const { label } = call
  const { response, text } = await ask(call)
  if (!response.ok) return unavailable(label, `status ${response.status}`, response.status)
  return read(call, text)
}

/** Like `callVendor`, but returns null if the vendor does not find the object. Errors: provider_unavailable. */
export async function findAtVendor<Answer extends z.ZodType>(
  call: VendorCall<Answer>,
): Promise<z.infer<Answer> | null> {
  const { label } = call
  const { response, text } = await ask(call)
  if (response.status === 404 || response.status === 410) return null
  if (!response.ok) return unavailable(label, `status ${response.status}`, response.status)
  return read(call, text)
}

/** Refuses an answer about another subject: `answered` is the one that it names. Errors: provider_unavailable. */
export function requireAbout(label: string, asked: string, answered: string | undefined): void {
  if (answered !== asked) unavailable(label, "an answer about another subject")
}

/** Statuses with which a vendor may refuse to delete something that it already deleted. */
const REFUSALS = [400, 409, 422]

/**
 * Has a vendor delete something. It also succeeds if the vendor does not find it, or refuses and `isGone` finds that it
 * was deleted before. Errors: provider_unavailable.
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

async function ask({ label, method, url, headers, body, deadline_ms }: Omit<VendorCall<z.ZodType>, "answer">) {
  const response = await trying(label, () =>
    fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // Never follow a redirect: the headers contain a secret, and another address may belong to anyone.
      redirect: "manual",
      signal: AbortSignal.timeout(deadline_ms ?? vendorDeadline.ms),
    }),
  )
  return { response, text: await trying(label, () => readBounded(response, MAX_BYTES)) }
}

function read<Answer extends z.ZodType>({ label, answer }: VendorCall<Answer>, text: Buffer): z.infer<Answer> {
  const json = parseJson(text)
  // A page of a proxy or of a wrong address must not count as the vendor's agreement.
  if (json === NO_JSON) return unavailable(label, "an answer that is not JSON")
  const parsed = answer.safeParse(json)
  if (parsed.success) return parsed.data
  return unavailable(label, `an answer without ${parsed.error.issues[0]?.path.join(".") || "what it must have"}`)
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

/** An unexpected answer of a vendor. Callers see one error; the fields have the details for operators. */
export class VendorTrouble extends Failure {
  /** Status of the refusal; null if there was no answer or no readable one. */
  readonly status: number | null
  /** A description, without anything that was sent or received. */
  readonly problem: string
  constructor(label: string, problem: string, status: number | null) {
    super("provider_unavailable", `${label} cannot be reached at the moment. Try again shortly.`)
    this.problem = problem
    this.status = status
  }
}

function unavailable(label: string, problem: string, status: number | null = null): never {
  logger.warn({ provider: label, problem }, "a KYC provider did not answer as expected")
  throw new VendorTrouble(label, problem, status)
}
