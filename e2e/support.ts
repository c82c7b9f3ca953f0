import { test as base, type Page } from "@playwright/test"
import { type Api, apiOf } from "./api.ts"
import { expect } from "./expect.ts"
import { createKey } from "./vouch.ts"

export { expect } from "./expect.ts"
export { expectAccessible } from "./expect-accessible.ts"

/** The requests and errors of a page, which every test checks at its end. */
export type Traffic = {
  /** Requests of the page, in order. */
  requests: { url: string; referer: string | undefined }[]
  /** Allows errors that would otherwise fail the test. */
  allow(trouble: RegExp): void
}

export const test = base.extend<{ traffic: Traffic }, { api: Api }>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
    async ({}, use) => use(apiOf(await createKey("e2e"))),
    { scope: "worker" },
  ],
  traffic: [
    async ({ page }, use) => {
      const { traffic, troubles, settled } = watchTraffic(page)
      await use(traffic)
      await settled()
      expect(troubles(), "console errors and failed requests").toEqual([])
      expect(leaksOf(traffic), "requests that carry a session's id in an address or a referrer").toEqual([])
    },
    { auto: true },
  ],
})

function watchTraffic(page: Page) {
  const requests: Traffic["requests"] = []
  const reading: Promise<unknown>[] = []
  const troubles: string[] = []
  const forgiven: RegExp[] = []
  page.on("request", (request) => {
    const asked: Traffic["requests"][number] = { url: request.url(), referer: undefined }
    requests.push(asked)
    const read = async () => {
      asked.referer = (await request.allHeaders()).referer
    }
    // A request that was never sent, or was cancelled with its page, has no headers.
    reading.push(read().catch(() => {}))
  })
  page.on("requestfailed", (request) => {
    const trouble = `${new URL(request.url()).pathname}: ${request.failure()?.errorText}`
    // The browser fetches it for a tab itself, and cancels it when the page is left.
    if (trouble !== "/icon.svg: net::ERR_ABORTED") troubles.push(trouble)
  })
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(message.text())
  })
  page.on("pageerror", (error) => troubles.push(error.message))
  return {
    traffic: { requests, allow: (trouble: RegExp) => void forgiven.push(trouble) },
    troubles: () => troubles.filter((trouble) => !forgiven.some((pattern) => pattern.test(trouble))),
    settled: () => Promise.all(reading),
  }
}

/** Only the address of a hosted page may contain a session id. */
function leaksOf({ requests }: Traffic): string[] {
  return requests.flatMap(({ url, referer }) => [
    ...(url.includes("sess_") && !/^http:\/\/localhost:\d+\/verify\/sess_\w+(?:\?lang=[a-z]+)?$/.test(url)
      ? [url]
      : []),
    ...(referer?.includes("sess_") ? [`${url} (referrer)`] : []),
  ])
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name, exact: true })

/** Fills in the sandbox's form with data that can be approved, and sends it. */
export async function submitForm(page: Page, { outcome = "approved" }: { outcome?: string } = {}) {
  await fillInForm(page, { outcome })
  await page.getByRole("button", { name: "Submit verification" }).click()
}

export async function fillInForm(page: Page, { outcome = "approved" }: { outcome?: string } = {}) {
  await page.getByLabel("Country", { exact: true }).selectOption("DE")
  await page.getByRole("checkbox", { name: "I am over 18", exact: true }).check()
  await page.getByRole("checkbox", { name: "Accredited investor", exact: true }).check()
  await page.getByLabel("Outcome", { exact: true }).selectOption(outcome)
  await page.getByRole("checkbox", { name: "I agree", exact: true }).check()
}

/** Simulates that the page is in front, or hidden by another tab. */
export async function setHidden(page: Page, hidden: boolean) {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden })
    document.dispatchEvent(new Event("visibilitychange"))
  }, hidden)
}

/** Simulates that the reader returns to the page. */
export async function returnToPage(page: Page) {
  await setHidden(page, true)
  await setHidden(page, false)
}
