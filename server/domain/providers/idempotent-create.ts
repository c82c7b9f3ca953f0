import { randomUUID } from "node:crypto"
import { VendorTrouble } from "./vendor-call.ts"

/** Answers that tell nothing of what becomes of the key: not let in, in progress elsewhere, too many requests. */
const UNDECIDED = new Set([401, 403, 409, 429])

/**
 * Creates something at a vendor that keeps the answer to a key, failures too, for a day. The key is ours alone, so
 * that a request whose answer was lost finds what it has made. Where the answer is a failure for certain, nothing was made,
 * and the key would only repeat it when the outage is long over: then one more attempt has a key of its own.
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
