import { expect, test } from "vitest"
import { counter, type Family, families, gaugesBy, histogram, render } from "./metrics.ts"

const named = (name: string): Family[] => families().filter((family) => family.name === name)

test("a counter shows one line for each set of labels", () => {
  const count = counter({ name: "test_count_total", help: "Things", labels: ["kind", "mode"] })
  count.of("mint", "live").add()
  count.of("mint", "live").add(2)
  count.of("burn", "test").add()
  expect(render(named("test_count_total"))).toBe(`# HELP test_count_total Things
# TYPE test_count_total counter
test_count_total{kind="mint",mode="live"} 3
test_count_total{kind="burn",mode="test"} 1
`)
})

test("a metric without labels is shown from the start, so that a rate sees its first increase", () => {
  counter({ name: "test_plain_total", help: "Things" })
  expect(render(named("test_plain_total"))).toContain("\ntest_plain_total 0\n")
})

test("a histogram's bucket counts all values up to and including its bound", () => {
  const spread = histogram({ name: "test_seconds", help: "Time", labels: ["route"], bounds: [0.1, 1] })
  for (const value of [0.05, 0.1, 0.5, 3]) spread.of("/a").note(value)
  expect(render(named("test_seconds"))).toBe(`# HELP test_seconds Time
# TYPE test_seconds histogram
test_seconds_bucket{route="/a",le="0.1"} 2
test_seconds_bucket{route="/a",le="1"} 3
test_seconds_bucket{route="/a",le="+Inf"} 4
test_seconds_sum{route="/a"} 3.65
test_seconds_count{route="/a"} 4
`)
})

test("label values are escaped", () => {
  const family = gaugesBy(
    ["l"],
    () => ['a"b\\c\nd'],
    (value) => [value],
  )("g", "h", () => 1)
  expect(render([family])).toContain('g{l="a\\"b\\\\c\\nd"} 1')
})

test("a gauge shows nothing for an unknown value", () => {
  const values = { known: 2, unknown: null, broken: Number.NaN }
  const names = Object.keys(values) as (keyof typeof values)[]
  const text = render([
    gaugesBy(
      ["l"],
      () => names,
      (name) => [name],
    )("g", "h", (name) => values[name]),
  ])
  expect(text).toBe('# HELP g h\n# TYPE g gauge\ng{l="known"} 2\n')
})

test("beyond the limit, series of a metric are counted together", () => {
  const count = counter({ name: "test_bounded_total", help: "Things", labels: ["key"] })
  for (let i = 0; i < 5000; i++) count.of(`k${i}`).add()
  const lines = named("test_bounded_total")[0]!.lines()
  expect(lines.length).toBe(2001)
  expect(lines.at(-1)).toBe('test_bounded_total{key="other"} 3000')
})
