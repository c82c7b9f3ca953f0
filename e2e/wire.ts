import type { Page } from "@playwright/test"

/** The most bytes that the hosted page may transfer: HTML, scripts, styles, fonts and images. */
export const MAX_BYTES = 150_000

/** Adds up the transferred bytes of all answers, with their headers. */
export async function bytesOver(page: Page): Promise<() => number> {
  let sum = 0
  const session = await page.context().newCDPSession(page)
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    sum += encodedDataLength
  })
  await session.send("Network.enable")
  await session.send("Network.setCacheDisabled", { cacheDisabled: true })
  return () => sum
}
