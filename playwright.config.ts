import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "@playwright/test"
import { findChromium } from "./scripts/chromium.mjs"
import { freePorts } from "./test/fixtures/free-ports.ts"

const executablePath = findChromium()
if (!executablePath) throw new Error('Chromium is not installed: "npm test" installs it or says how to')

// Chromium uses only the last such flag, so this one starts with the features that Playwright itself disables. The last
// line is ours: the address bar's suggestions are pages that took half of a new window's cost, and few tests use the
// spare process for the next page.
const disabledFeatures = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"],
  ...["HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"],
  ...["ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"],
  ...["NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"],
]

// The tests have their own server, with default settings. Playwright reads this file again in every worker, and workers
// inherit the environment, so tests and their `vouch` commands use the values chosen here the first time.
if (!process.env.VOUCH_E2E) {
  const dataDir = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-`))
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }))
  Object.assign(process.env, {
    VOUCH_E2E: "1",
    VOUCH_DATA_DIR: dataDir,
    PORT: String(await freePorts(1)),
    VOUCH_LOCALNET_PORT: String(await freePorts(2)),
    DATABASE_URL: "",
    SOLANA_RPC_URL: "",
    VOUCH_PUBLIC_URL: "",
    // All tests use one address.
    VOUCH_RATE_LIMIT: "0",
    // Webhook consumers are on this machine.
    VOUCH_WEBHOOK_NETWORKS: "127.0.0.1",
  })
}
const desktop = { viewport: { width: 1280, height: 800 } }
const origin = `http://localhost:${process.env.PORT}`

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  reporter: "list",
  // A loaded machine is slow, and no test measures time.
  timeout: 180_000,
  workers: 2,
  forbidOnly: true,
  use: {
    baseURL: origin,
    // Tracing takes a fifth of the time. A failed test leaves a screenshot, and `--trace on` records how it got there.
    screenshot: "only-on-failure",
    // Every frame is drawn by the processor, and what moves is drawn all the time.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath,
      args: [
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        "--disable-gpu",
        "--in-process-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        `--disable-features=${disabledFeatures.join(",")}`,
      ],
    },
  },
  projects: [
    // `npm test` runs these. `npm run test:all` runs the others.
    { name: "journeys", grep: /@journey/, use: desktop },
    { name: "desktop", grepInvert: /@journey/, use: desktop },
    // Tests whose steps differ on a small screen. `expectSound` checks the layout there in all tests.
    {
      name: "phone",
      grep: /@phone/,
      use: { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
    },
  ],
  webServer: {
    command: "node server/main.ts",
    url: `${origin}/v1/health`,
    timeout: 60_000,
    stdout: "pipe",
    stderr: "pipe",
    gracefulShutdown: { signal: "SIGTERM", timeout: 15_000 },
  },
})
