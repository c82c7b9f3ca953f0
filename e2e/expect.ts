import { expect as baseExpect } from "@playwright/test"

/** Patient enough for a machine that is busy with other tests. */
export const expect = baseExpect.configure({ timeout: 30_000 })
