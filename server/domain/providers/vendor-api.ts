import { randomUUID } from "node:crypto"
import { z } from "zod"
import { logger } from "#server/lib/log.ts"
import { readBounded, TooLarge } from "#server/lib/read-bounded.ts"
import { plainText } from "#server/lib/text.ts"
import { Failure } from "#shared/errors.ts"

// Taken before Next replaces it with a caching version.
const { fetch } = globalThis

/** How long a vendor's whole answer may take. Tests of slow vendors shorten it. */
export const vendorDeadline = { ms: 10_000 }
const MAX_BYTES = 256 * 1024

/** An id from a vendor. Characters that the database cannot store would make every repeat of an event a 5xx. */
export const vendorId = plainText(200)

type Sent = { method: "GET" | "POST" | "PATCH" | "DELETE"; url: string; body: string | undefined }
type Call = {
  /** GET if omitted. */
  method?: Sent["method"]
  path: string
  /** An object is sent as JSON. */
  body?: object | string
  headers?: Record<string, string>
}
/** `answer` is the schema of the answer; `undefined` for one without a body. Anything but JSON fails. */
type Asking<Answer extends z.ZodType> = Call & { answer: Answer }

/** Statuses with which a vendor may refuse to delete something that it already deleted. */
const REFUSALS = [400, 409, 422]

/**
 * Calls of one vendor's API. `label` is its name for people. `headers` go with every request, or are made for each, such
 * as a signature. Every unexpected answer is the same error. The log says which, without anything that was sent or
 * received. Errors: provider_unavailable.
 */
export function vendorApi(about: {
  label: string
  origin: string
  headers: Record<string, string> | ((sent: Sent) => Record<string, string>)
  deadline_ms?: number
}) {
  const { label, origin, headers: common, deadline_ms } = about

  function unavailable(problem: string, status: number | null = null): never {
    logger.warn({ provider: label, problem }, "a KYC provider did not answer as expected")
    throw new VendorTrouble(label, problem, status)
  }

  async function send({ method = "GET", path, body, headers }: Call) {
    const url = `${origin}${path}`
    const text = typeof body === "object" ? JSON.stringify(body) : body
    try {
      const response = await fetch(url, {
        method,
        headers: {
          accept: "application/json",
          ...(typeof body === "object" && { "content-type": "application/json" }),
          ...(typeof common === "function" ? common({ method, url, body: text }) : common),
          ...headers,
        },
        ...(text === undefined ? {} : { body: text }),
        // Never follow a redirect: the headers contain a secret, and another address may belong to anyone.
        redirect: "manual",
        signal: AbortSignal.timeout(deadline_ms ?? vendorDeadline.ms),
      })
      return { ok: response.ok, status: response.status, bytes: await readBounded(response, MAX_BYTES) }
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: unknown } }
      return unavailable(error instanceof TooLarge ? error.message : String(cause?.code ?? name))
    }
  }

  function read<Answer extends z.ZodType>(
    answer: Answer,
    { ok, status, bytes }: Awaited<ReturnType<typeof send>>,
  ): z.infer<Answer> {
    if (!ok) return unavailable(`status ${status}`, status)
    const json = parseJson(bytes)
    // A page of a proxy or of a wrong address must not count as the vendor's agreement.
    if (json === NO_JSON) return unavailable("an answer that is not JSON")
    const parsed = answer.safeParse(json)
    if (parsed.success) return parsed.data
    return unavailable(`an answer without ${parsed.error.issues[0]?.path.join(".") || "what it must have"}`)
  }

  const call = async <Answer extends z.ZodType>({ answer, ...asked }: Asking<Answer>): Promise<z.infer<Answer>> =>
    read(answer, await send(asked))

  /** Like `call`, but returns null if the vendor does not find the object. */
  const find = async <Answer extends z.ZodType>({
    answer,
    ...asked
  }: Asking<Answer>): Promise<z.infer<Answer> | null> => {
    const answered = await send(asked)
    return answered.status === 404 || answered.status === 410 ? null : read(answer, answered)
  }

  /** Refuses an answer about another subject: `answered` is the one that it names. */
  const requireAbout = (asked: string, answered: string | undefined): void => {
    if (answered !== asked) unavailable("an answer about another subject")
  }

  /**
   * Has the vendor delete something. It also succeeds if the vendor does not find it, or refuses and `isGone` finds that
   * it was deleted before.
   */
  const remove = async (asked: Call, isGone: () => Promise<boolean>): Promise<void> => {
    try {
      await find({ ...asked, answer: z.unknown() })
    } catch (error) {
      const isRefused = error instanceof VendorTrouble && REFUSALS.includes(error.status ?? 0)
      if (!isRefused || !(await isGone())) throw error
    }
  }

  return { call, find, remove, requireAbout }
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

/** Answers that the vendor does not store under the key: unauthorized, in progress elsewhere, too many requests. */
const UNDECIDED = new Set([401, 403, 409, 429])

/**
 * Creates something at a vendor that stores the answer to an idempotency key for a day, failures included. Using the
 * same key again after a lost answer finds what the first request created. After a definite failure nothing was
 * created, and the key would repeat the failure even after the outage, so one more attempt uses a new key.
 */
export async function createOnce<T>(key: string, create: (key: string) => Promise<T>): Promise<T> {
  try {
    return await create(key)
  } catch (error) {
    const status = error instanceof VendorTrouble ? error.status : null
    if (status === null || status < 400 || UNDECIDED.has(status)) throw error
    return create(`${key}-${randomUUID()}`)
  }
}
