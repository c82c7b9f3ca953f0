import { readFileSync, writeFileSync } from "node:fs"
import type { Mints } from "./mints.ts"
import type { Contest } from "./rounds.ts"

/** The processor time of a request relative to the bare handler's, or of a mint relative to plain spl-token's. */
export type Figures = Record<string, number>

/** How much worse than the committed value a figure may be. Other load on the machine changes it by some percent. */
const TOLERANCE = 1.25
/** How often to measure a worse figure again. Load can only make it worse, so the best one counts. */
const REPEATS = 2

const file = new URL("baseline.json", import.meta.url)
const committed: Figures = JSON.parse(readFileSync(file, "utf8"))

export type Worse = { name: string; measured: number; committed: number }

/** Figures that are worse than the committed ones, by more than chance explains. */
export const worseThanCommitted = (figures: Figures): Worse[] =>
  Object.entries(figures).flatMap(([name, measured]) => {
    const before = committed[name]
    return before !== undefined && measured > before * TOLERANCE ? [{ name, measured, committed: before }] : []
  })

/** Measures, and repeats measurements that are worse than the committed figure. Returns the best results. */
export async function steadily<T>(
  measure: () => Promise<T>,
  figuresOf: (measured: T) => Figures,
  say: (line: string) => void,
): Promise<T> {
  const sumOf = (one: T) => Object.values(figuresOf(one)).reduce((sum, figure) => sum + figure, 0)
  let best = await measure()
  for (let n = 0; n < REPEATS; n++) {
    const worse = worseThanCommitted(figuresOf(best))
    if (worse.length === 0) break
    say(`${worse.map(sentenceOf).join("; ")}: measuring again`)
    const again = await measure()
    if (sumOf(again) < sumOf(best)) best = again
  }
  return best
}

export const sentenceOf = ({ name, measured, committed }: Worse): string =>
  `${name} takes ${measured.toFixed(2)} times its baseline's processor time; ${committed.toFixed(2)} is committed`

export const figuresOfContest = (name: string, { contestants }: Contest): Figures => {
  const ratio = contestants[1]?.cpu_ratio
  return ratio == null ? {} : { [name]: ratio }
}

/** Without waiting mints: the number that share a transaction depends on the machine's other load. */
export const figuresOfMints = ({ rows }: Mints): Figures => {
  const ratio = rows.find(({ name }) => name === "async")?.cpu_ratio
  return ratio == null ? {} : { mint: ratio }
}

/** Makes the measured figures the committed ones. Others stay. */
export function writeBaseline(figures: Figures): void {
  const rounded = Object.entries(figures).map(([name, figure]) => [name, Number(figure.toFixed(3))])
  writeFileSync(file, `${JSON.stringify({ ...committed, ...Object.fromEntries(rounded) }, null, 2)}\n`)
}
