import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { findPromtool, promtool } from "#test/fixtures/promtool.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { scrape } from "#test/matchers/scrape.ts"

// What is in deploy/observe is for other programs: here it is held to what a server really serves.

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
const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
  readText(directory, "dashboard.json"),
)
const runbooks = readText(root, "docs", "observe.md")
const names = alerts.map(({ alert }) => alert)

const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const expressions = [...shown, ...alerts.map(({ expr }) => expr)]

/** Metrics that a text names. A histogram's parts are the histogram. */
const metricsIn = (text: string) =>
  [...text.matchAll(/\b(?:vouch|process|nodejs)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ""))

let text: string

usesApp({ environment: { VOUCH_METRICS_PORT: "0" } })
beforeAll(async () => {
  text = (await scrape(app.metricsPort!)).text
})

const served = () => new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map((found) => found[1]!))

test("every metric that the dashboard or an alert names is served", () => {
  const missing = expressions.flatMap(metricsIn).filter((name) => !served().has(name))
  expect(missing).toEqual([])
  expect(shown.length).toBeGreaterThan(30)
})

test("every label that they ask for is one that the metrics have, or that Prometheus adds", () => {
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map((found) => found[1]!))
  // Of metrics that no request has touched yet, and of Prometheus.
  for (const one of ["method", "route", "status", "kind", "outcome", "le", "job", "instance"]) labels.add(one)
  const asked = expressions.flatMap((expr) => [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap((found) => found[1]!.split(/, */)),
    ...[...expr.matchAll(/[{,] *(\w+)(?:=|!=|=~|!~)"/g)].map((found) => found[1]!),
  ])
  expect(asked.filter((label) => !labels.has(label))).toEqual([])
  expect(asked).toContain("address")
})

test("every metric of ours is described, and no other", () => {
  const [, table] = /^## Metrics$([\s\S]*?)^## /m.exec(runbooks)!
  // `vouch_a_busy`, `…_waiting`: the second ends as it says, after the first's beginning.
  const ours = [...served()].filter((name) => name.startsWith("vouch_"))
  const described = new Set(metricsIn(table!))
  for (const name of ["waiting", "max"]) described.add(`vouch_database_connections_${name}`)
  expect(ours.filter((name) => !described.has(name))).toEqual([])
  expect([...described].filter((name) => !served().has(name))).toEqual([])
})

test.each(alerts)("$alert has a runbook, a severity, and cases in which it fires and does not", (alert) => {
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

test("Prometheus takes the rules, and they fire where they should", ({ skip }) => {
  const file = findPromtool()
  if (file === null) return skip("there is no promtool here (Debian: the package prometheus)")
  expect(promtool(file, ["check", "rules", join(directory, "alerts.yml")])).toContain(
    `SUCCESS: ${alerts.length} rules found`,
  )
  expect(promtool(file, ["test", "rules", join(directory, "alerts.test.yml")])).toContain("SUCCESS")
})
