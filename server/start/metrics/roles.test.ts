import { expect, test } from "vitest"
import { startTestApp, waitFor } from "#test/app.ts"
import { scrape } from "#test/scrape.ts"

/** With what the database knows: it is not waited for longer than a second, and this machine may be busy. */
const whole = (port: number) =>
  waitFor(async () => {
    const scraped = await scrape(port)
    return scraped.values.has("vouch_workers") && scraped
  }, "the deployment's figures")

test("a process that only answers requests shows the deployment's queue, and no ledger of its own", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web", VOUCH_METRICS_PORT: "0" })
  const { values, text } = await whole(app.metricsPort!)
  await app.stop()
  expect(values.get('vouch_operations_unfinished{mode="live",status="queued"}')).toBe(0)
  expect(values.get("vouch_workers")).toBe(0)
  expect(text).toMatch(/^vouch_build_info\{version="[^"]+",role="web"\} 1$/m)
  // Declared, so that a rule that names it is known to be right, and without a value.
  expect(text).toContain("# TYPE vouch_fee_payer_sol gauge\n# HELP")
})

test("a worker shows its ledgers, and listens for nothing but metrics", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "worker", VOUCH_METRICS_PORT: "0" })
  const { values } = await whole(app.metricsPort!)
  await expect(fetch(`${app.origin}/v1/health`)).rejects.toThrow()
  await app.stop()
  expect(values.get('vouch_transactions_in_flight{mode="live"}')).toBe(0)
  expect(values.get("vouch_workers")).toBe(1)
  await expect(scrape(app.metricsPort!)).rejects.toThrow()
})

test("without a port there are no metrics, and a port that is taken stops the start and says which setting it is", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web" })
  expect(app.metricsPort).toBeNull()
  const port = new URL(app.origin).port
  await expect(startTestApp({ VOUCH_ROLE: "web", VOUCH_METRICS_PORT: port })).rejects.toThrow(
    `Port ${port} is in use. Stop the other program, or set VOUCH_METRICS_PORT to a free port.`,
  )
  await app.stop()
})
