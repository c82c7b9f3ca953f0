import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { AxeBuilder } from "@axe-core/playwright"
import { test as base, expect as baseExpect, type Page } from "@playwright/test"
import { Keypair } from "@solana/web3.js"

/** Patient enough for a machine that is busy with other tests. */
export const expect = baseExpect.configure({ timeout: 15_000 })

export type Started = { sessionId: string; url: string; wallet: string }

/** What a customer of this server does from outside of the browser. */
export type Api = {
  start(options?: { redirectUrl?: string }): Promise<Started>
  status(wallet: string): Promise<{ status: string; attestation_id: string; onchain_tx: string | null }>
  revoke(attestationId: string, reason: string): Promise<void>
}

/** What a page asked for and complained of. Every test ends by looking at it. */
export type Traffic = {
  /** Requests that the page sent, in their order. */
  requests: { url: string; referer: string | undefined }[]
  /** Allows errors that would otherwise fail the test. */
  forgive(trouble: RegExp): void
}

export const test = base.extend<{ traffic: Traffic }, { api: Api }>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that one needs from the pattern
    async ({}, use) => use(apiWith(await createKey())),
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

/** A test key of the account "e2e", made by the command line beside the running server. */
async function createKey(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...["server/cli.ts", "key", "create", "--account", "e2e", "--mode", "test", "--json"],
  ])
  return (JSON.parse(stdout) as { api_key: string }).api_key
}

function apiWith(key: string): Api {
  const call = async <T>(method: "GET" | "POST", path: string, body?: object): Promise<T> => {
    const response = await fetch(`http://localhost:${process.env.PORT}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text) as T
  }
  return {
    async start(options = {}) {
      const wallet = Keypair.generate().publicKey.toBase58()
      const session = await call<{ session_id: string; session_url: string }>("POST", "/kyc/start", {
        userPubkey: wallet,
        schemaId: "kyc_individual_v1",
        ...options,
      })
      return { sessionId: session.session_id, url: session.session_url, wallet }
    },
    status: (wallet) => call("GET", `/kyc/status/${wallet}?schema=kyc_individual_v1`),
    revoke: async (attestationId, reason) =>
      void (await call("POST", `/attestation/${attestationId}/revoke`, { reason })),
  }
}

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
    // A request that never left, or that its page took along, has no headers.
    reading.push(read().catch(() => {}))
  })
  page.on("requestfailed", (request) =>
    troubles.push(`${new URL(request.url()).pathname}: ${request.failure()?.errorText}`),
  )
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(message.text())
  })
  page.on("pageerror", (error) => troubles.push(error.message))
  return {
    traffic: { requests, forgive: (trouble: RegExp) => void forgiven.push(trouble) },
    troubles: () => troubles.filter((trouble) => !forgiven.some((pattern) => pattern.test(trouble))),
    settled: () => Promise.all(reading),
  }
}

/** A hosted page's own address is the one place where a session's id may stand. */
function leaksOf({ requests }: Traffic): string[] {
  return requests.flatMap(({ url, referer }) => [
    ...(url.includes("sess_") && !/^http:\/\/localhost:\d+\/verify\/sess_\w+$/.test(url) ? [url] : []),
    ...(referer?.includes("sess_") ? [`${url} (referrer)`] : []),
  ])
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name, exact: true })

/** Fills in the sandbox's form as a person who may pass, and sends it. */
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

/** Holds in every state of every page: no axe violation in light or dark, and nothing wider than the screen. */
export async function expectSound(page: Page) {
  // Still first: a colour on its way from light to dark is neither.
  await page.emulateMedia({ reducedMotion: "reduce" })
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    // Rows that are about to be replaced are dimmed for as long.
    await expect(page.locator("tbody.opacity-60")).toHaveCount(0)
    const axe = new AxeBuilder({ page })
    // Dark differs in its colours alone.
    if (colorScheme === "dark") axe.withRules("color-contrast")
    const { violations } = await axe.analyze()
    expect(
      violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(" ")}`),
    ).toEqual([])
  }
  const excess_px = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(excess_px, "pixels that stand out to the right").toBeLessThanOrEqual(0)
}
