/**
 * Figures of this process in Prometheus' text format
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). Whoever has something to count declares
 * it beside the code that counts, with `counter` or `histogram`; what is only read when somebody asks is a `Gauge`.
 *
 * Labels are few by construction: their values come from tables (routes, kinds, codes), never from what a client sent, and
 * no customer is one.
 */

/** Series of one metric, at most. Further ones are counted together, with `other` for every label. */
const MOST_SERIES = 2000

type Values = readonly string[]
type Declared = {
  name: string
  /** One sentence without its full stop. */
  help: string
  labels?: readonly string[]
}

/** What one metric shows. */
export type Family = {
  name: string
  help: string
  type: "counter" | "gauge" | "histogram"
  lines: () => string[]
}

/** A value that is read when somebody asks; nothing is shown for what is unknown then. */
export type Gauge = Declared & {
  type?: "gauge" | "counter"
  read: () => Iterable<readonly [values: Values, value: number | null]>
}

const declared: Family[] = []

/** All that was declared with `counter` and `histogram`, in the order of names. */
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

/** A number that only grows. */
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

/** How values, such as durations in seconds, are spread. */
export class Spread {
  readonly label: string
  readonly bounds: readonly number[]
  /** By bound, each without those below; the last is of what is beyond all bounds. */
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

/** A metric that counts. The series of a set of label values is looked up once and kept by who counts often. */
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

/** A gauge as it is read now. */
export const familyOf = ({ name, help, labels = [], type = "gauge", read }: Gauge): Family => ({
  name,
  help,
  type,
  lines: () =>
    [...read()].flatMap(([values, value]) =>
      value === null || !Number.isFinite(value) ? [] : `${name}${labelled(labels, values)} ${value}`,
    ),
})

/** Everything as Prometheus reads it. */
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

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`))
