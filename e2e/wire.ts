import type { Page } from "@playwright/test"

/** The most bytes of the hosted page over the wire: HTML, scripts, styles, fonts, images. */
export const MAX_BYTES = 150_000

/** Adds up the bytes of all answers over the wire, with their headers. */
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
