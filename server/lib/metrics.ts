/**
 * Figures of this process in Prometheus' text format
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). Declare a
 * `counter` or `histogram` next to the code that counts. Values that are read on request are made by `gauge`.
 *
 * Label values come only from tables (routes, kinds, codes), never from clients or customers, so they stay few.
 */

/** The most series of one metric. Further ones are counted together, with `other` for every label. */
const MOST_SERIES = 2000

type Values = readonly string[]
type Declared = {
  name: string
  /** One sentence without a full stop. */
  help: string
  labels?: readonly string[]
}

/** The values of one metric. */
export type Family = { name: string; help: string; type: "counter" | "gauge" | "histogram"; lines: () => string[] }

const declared: Family[] = []

/** All metrics declared with `counter` and `histogram`, by name. */
export const families = (): Family[] => declared.toSorted((one, other) => (one.name < other.name ? -1 : 1))

class Series<One> {
  readonly #byValues = new Map<string, One>()
  readonly #create: (label: string) => One
  readonly #labels: readonly string[]

  constructor(labels: readonly string[], create: (label: string) => One) {
    this.#labels = labels
    this.#create = create
    if (labels.length === 0) this.of([])
  }

  of(values: Values): One {
    const key = values.join("\n")
    const known = this.#byValues.get(key)
    if (known) return known
    const isFull = this.#byValues.size >= MOST_SERIES
    const others = this.#labels.map(() => "other")
    if (isFull && others.join("\n") !== key) return this.of(others)
    const one = this.#create(labelled(this.#labels, values))
    this.#byValues.set(key, one)
    return one
  }

  all(): One[] {
    return [...this.#byValues.values()]
  }
}

/** A number that only increases. */
export class Count {
  readonly label: string
  value = 0

  constructor(label: string) {
    this.label = label
  }

  add(more = 1): void {
    this.value += more
  }
}

/** A distribution of values, such as durations in seconds. */
export class Spread {
  readonly label: string
  readonly bounds: readonly number[]
  /** Counts by bound, each without those below. The last is for values beyond all bounds. */
  readonly counts: number[]
  sum = 0

  constructor(label: string, bounds: readonly number[]) {
    this.label = label
    this.bounds = bounds
    this.counts = [...bounds.map(() => 0), 0]
  }

  note(value: number): void {
    const { bounds, counts } = this
    let i = 0
    while (i < bounds.length && value > bounds[i]!) i++
    counts[i]!++
    this.sum += value
  }
}

/** A metric that counts. Code that counts often looks up its series once and keeps it. */
export function counter({ name, help, labels = [] }: Declared): { of(...values: string[]): Count } {
  const series = new Series(labels, (label) => new Count(label))
  const lines = () => series.all().map(({ label, value }) => `${name}${label} ${value}`)
  declared.push({ name, help, type: "counter", lines })
  return { of: (...values) => series.of(values) }
}

/** A metric of durations or sizes. `bounds` are the upper ends of its buckets, in rising order. */
export function histogram({ name, help, labels = [], bounds }: Declared & { bounds: readonly number[] }): {
  of(...values: string[]): Spread
} {
  const series = new Series(labels, (label) => new Spread(label, bounds))
  const lines = () => series.all().flatMap((spread) => linesOf(name, spread))
  declared.push({ name, help, type: "histogram", lines })
  return { of: (...values) => series.of(values) }
}

/** Makes metrics that are read at each scrape from each of some things. An unknown value is not shown. */
export const gaugesBy =
  <One>(
    labels: readonly string[],
    all: () => readonly One[],
    valuesOf: (one: One) => Values,
    type: "gauge" | "counter" = "gauge",
  ) =>
  (name: string, help: string, read: (one: One) => number | null): Family => ({
    name,
    help,
    type,
    lines: () =>
      all().flatMap((one) => {
        const value = read(one)
        return value === null || !Number.isFinite(value) ? [] : `${name}${labelled(labels, valuesOf(one))} ${value}`
      }),
  })

/** A metric that is one value, read at each scrape. */
export const gauge = (name: string, help: string, read: () => number | null, type?: "gauge" | "counter"): Family =>
  gaugesBy(
    [],
    () => [null],
    () => [],
    type,
  )(name, help, read)

/** All metrics in Prometheus' format. */
export function render(all: readonly Family[]): string {
  const parts = all.map(({ name, help, type, lines }) =>
    [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join("\n"),
  )
  return `${parts.join("\n")}\n`
}

function linesOf(name: string, { label, bounds, counts, sum }: Spread): string[] {
  let total = 0
  const buckets = [...bounds, "+Inf"].map((bound, i) => {
    total += counts[i]!
    const le = `le="${bound}"`
    return `${name}_bucket${label === "" ? `{${le}}` : `${label.slice(0, -1)},${le}}`} ${total}`
  })
  return [...buckets, `${name}_sum${label} ${sum}`, `${name}_count${label} ${total}`]
}

const labelled = (labels: readonly string[], values: Values): string =>
  labels.length === 0 ? "" : `{${labels.map((name, i) => `${name}="${escaped(values[i] ?? "")}"`).join(",")}}`

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`))
