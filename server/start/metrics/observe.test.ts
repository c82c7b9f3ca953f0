import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { findPromtool, promtool } from "#test/fixtures/promtool.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { scrape } from "#test/matchers/scrape.ts"

// Other programs read deploy/observe. These tests compare it with what a server serves.

const root = join(import.meta.dirname, "..", "..", "..")
const directory = join(root, "deploy", "observe")
const readText = (...path: string[]) => readFileSync(join(...path), "utf8")

type Alert = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: Record<string, string>
}
type Case = { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }

const alerts: Alert[] = parse(readText(directory, "alerts.yml")).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
)
const cases: Case[] = parse(readText(directory, "alerts.test.yml")).tests
const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(readText(directory, "dashboard.json"))
const runbooks = readText(root, "docs", "observe.md")
const names = alerts.map(({ alert }) => alert)

const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const expressions = [...shown, ...alerts.map(({ expr }) => expr)]

/** The metrics named in a text. A histogram's parts count as the histogram. */
const metricsIn = (text: string) =>
  [...text.matchAll(/\b(?:vouch|process|nodejs)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ""))

let text: string

usesApp({ environment: { VOUCH_METRICS_PORT: "0" } })
beforeAll(async () => {
  text = (await scrape(app.metricsPort!)).text
})

const served = () => new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map((found) => found[1]!))

test("every metric in the dashboard and the alerts is served", () => {
  const missing = expressions.flatMap(metricsIn).filter((name) => !served().has(name))
  expect(missing).toEqual([])
  expect(shown.length).toBeGreaterThan(30)
})

test("every label they use belongs to the metrics or is added by Prometheus", () => {
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map((found) => found[1]!))
  // Prometheus' own labels, and those of metrics that no request has touched yet.
  for (const one of ["method", "route", "status", "kind", "outcome", "le", "job", "instance"]) labels.add(one)
  const asked = expressions.flatMap((expr) => [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap((found) => found[1]!.split(/, */)),
    ...[...expr.matchAll(/[{,] *(\w+)(?:=|!=|=~|!~)"/g)].map((found) => found[1]!),
  ])
  expect(asked.filter((label) => !labels.has(label))).toEqual([])
  expect(asked).toContain("address")
})

test("every metric is described, and no other", () => {
  const [, table] = /^## Metrics$([\s\S]*?)^## /m.exec(runbooks)!
  // Such as `vouch_a_busy` and `…_waiting`: the second name ends like the first, after the first's beginning.
  const ours = [...served()].filter((name) => name.startsWith("vouch_"))
  const described = new Set(metricsIn(table!))
  for (const name of ["waiting", "max"]) described.add(`vouch_database_connections_${name}`)
  expect(ours.filter((name) => !described.has(name))).toEqual([])
  expect([...described].filter((name) => !served().has(name))).toEqual([])
})

test.each(alerts)("$alert has a runbook, a severity, and cases where it fires and where it does not", (alert) => {
  const { annotations, labels } = alert
  expect(annotations.runbook).toBe(`docs/observe.md#${alert.alert.toLowerCase()}`)
  expect(annotations.summary).toMatch(/^[A-Z].*[^.]$/)
  expect(runbooks).toMatch(new RegExp(`^### ${alert.alert}\n\n\\S`, "m"))
  expect(["critical", "warning", "info"]).toContain(labels.severity)
  const expected = cases
    .flatMap((one) => one.alert_rule_test)
    .filter(({ alertname }) => alertname === alert.alert)
    .map(({ exp_alerts }) => exp_alerts.length > 0)
  expect(expected.toSorted()).toEqual([false, true])
})

test("every runbook belongs to an alert", () => {
  const sections = [...runbooks.matchAll(/^### (.+)$/gm)].map((found) => found[1]!)
  expect(sections).toEqual(names)
})

test("Prometheus accepts the rules, and they fire when they should", ({ skip }) => {
  const file = findPromtool()
  if (file === null) return skip("promtool is not installed (Debian: the package prometheus)")
  expect(promtool(file, ["check", "rules", join(directory, "alerts.yml")])).toContain(
    `SUCCESS: ${alerts.length} rules found`,
  )
  expect(promtool(file, ["test", "rules", join(directory, "alerts.test.yml")])).toContain("SUCCESS")
})
