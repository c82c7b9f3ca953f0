/**
 * `node bench/slow-phone.ts <url> [rounds]` measures a page on a slow phone: a session with the sandbox's form or a
 * page of the API reference, on any server. Simulates Lighthouse's slow 4G, which DevTools applies to each request, and
 * a processor four times as slow. Prints medians: bytes transferred, and the times until the heading is painted and
 * until the page responds to a click.
 */
import { chromium } from "@playwright/test"
import { findChromium } from "../scripts/chromium.mjs"
import { table } from "./table.ts"

/** https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md; includes DevTools' own factors. */
const SLOW_4G = {
  offline: false,
  latency: 150 * 3.75,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
}
const CPU_SLOWDOWN = 4

const [url, rounds = "5"] = process.argv.slice(2)
if (!url) throw new Error("Usage: node bench/slow-phone.ts <url> [rounds]")
const executablePath = findChromium()
if (!executablePath) throw new Error("Chromium is not installed: install the package chromium.")

type Round = { bytes: number; painted_ms: number; usable_ms: number }

const browser = await chromium.launch({
  executablePath,
  args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu"],
})
try {
  const measured: Round[] = []
  for (let n = 0; n < Number(rounds); n++) measured.push(await measure(url))
  const middle = (name: keyof Round) =>
    measured.map((round) => round[name]).sort((a, b) => a - b)[Math.floor(measured.length / 2)]!
  console.log(
    table(
      ["", "bytes", "painted, ms", "usable, ms"],
      [["slow 4G, CPU 4×", ...(["bytes", "painted_ms", "usable_ms"] as const).map((name) => middle(name).toFixed(0))]],
    ),
  )
} finally {
  await browser.close()
}

/** One visit with an empty cache. */
async function measure(url: string): Promise<Round> {
  const context = await browser.newContext({ viewport: { width: 375, height: 812 }, isMobile: true })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  let bytes = 0
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send("Network.enable")
  await session.send("Network.emulateNetworkConditions", SLOW_4G)
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN })
  await page.addInitScript(watch)
  await page.goto(url)
  await page.waitForFunction(() => (window as unknown as { usable?: number }).usable !== undefined)
  await page.waitForLoadState("networkidle")
  const times = await page.evaluate(() => {
    const { painted, usable } = window as unknown as { painted: number; usable: number }
    return { painted_ms: painted, usable_ms: usable }
  })
  await context.close()
  return { bytes, ...times }
}

/**
 * Runs in the page: records when its first button is visible and when it responds to a click. The hosted page's button
 * shows what is missing, the reference's opens something.
 */
function watch(): void {
  const noted = window as unknown as { painted?: number; usable?: number }
  const look = () => {
    const button = document.querySelector<HTMLElement>("main button:is([type=submit], [aria-expanded])")
    if (button) {
      noted.painted ??= performance.now()
      button.click()
      if (document.querySelector("main :is([aria-invalid=true], button[aria-expanded=true])")) {
        noted.usable = performance.now()
        return
      }
    }
    requestAnimationFrame(look)
  }
  look()
}
