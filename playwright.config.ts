import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "@playwright/test"
import { findChromium } from "./scripts/chromium.mjs"
import { freePorts } from "./test/fixtures/free-ports.ts"

const executablePath = findChromium()
if (!executablePath) throw new Error('There is no Chromium: "npm test" installs it or says how to')

// The last such flag is the one that counts, so it begins with what Playwright switches off itself. The address bar's
// suggestions are pages of their own, loaded with each window: they took half of what a new one costs. A spare process
// for the next page is one that few tests come to use.
const disabledFeatures = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"],
  ...["HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"],
  ...["ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"],
  ...["NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"],
]

// A server of its own, with nothing configured. Playwright reads this file again in every worker, and workers
// inherit the environment: what is chosen here once is what the tests and `vouch` commands in them see.
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
    // All tests come from one address.
    VOUCH_RATE_LIMIT: "0",
    // Consumers of webhooks are on this machine.
    VOUCH_WEBHOOK_NETWORKS: "127.0.0.1",
  })
}
const desktop = { viewport: { width: 1280, height: 800 } }
const origin = `http://localhost:${process.env.PORT}`

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  reporter: "list",
  // A loaded machine is slow, and no test measures how long something took.
  timeout: 180_000,
  workers: 2,
  forbidOnly: true,
  use: {
    baseURL: origin,
    // A trace takes a fifth of all work: a failure leaves its page, and `--trace on` shows the way there.
    screenshot: "only-on-failure",
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
    // What `npm test` runs. The others are in `npm run test:all`.
    { name: "journeys", grep: /@journey/, use: desktop },
    { name: "desktop", grepInvert: /@journey/, use: desktop },
    // What is tapped, or found elsewhere, on a small screen. How pages look on one, the others see too: `expectSound`.
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
