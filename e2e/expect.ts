import { expect as baseExpect } from "@playwright/test"

/** With timeouts long enough for a busy machine. */
export const expect = baseExpect.configure({ timeout: 30_000 })
