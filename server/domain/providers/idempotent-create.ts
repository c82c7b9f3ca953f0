import { randomUUID } from "node:crypto"
import { VendorTrouble } from "./vendor-call.ts"

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
