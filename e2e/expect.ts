import { expect as baseExpect } from "@playwright/test"

/** `expect` with timeouts long enough for a busy machine. */
export const expect = baseExpect.configure({ timeout: 30_000 })
