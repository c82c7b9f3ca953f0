import { readFileSync, writeFileSync } from "node:fs"
import type { Mints } from "./mints.ts"
import type { Contest } from "./rounds.ts"

/** Processor time of a request against the bare handler's, or of a mint against plain spl-token's, in one run. */
export type Figures = Record<string, number>

/** How much worse a figure may be than the committed one: other load on the machine moves it by some percent. */
const TOLERANCE = 1.25
/** How often a figure that is worse is measured again: load can only make it worse, so the best one counts. */
const REPEATS = 2

const file = new URL("baseline.json", import.meta.url)
const committed: Figures = JSON.parse(readFileSync(file, "utf8"))

export type Worse = { name: string; measured: number; committed: number }

/** Figures that are worse than the committed ones by more than chance. */
export const worseThanCommitted = (figures: Figures): Worse[] =>
  Object.entries(figures).flatMap(([name, measured]) => {
    const before = committed[name]
    return before !== undefined && measured > before * TOLERANCE ? [{ name, measured, committed: before }] : []
  })

/** Measures, and measures again what is worse than the committed figure. Returns what came out best. */
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
  `${name} takes ${measured.toFixed(2)} of the processor time it is compared with, and ${committed.toFixed(2)} is committed`

export const figuresOfContest = (name: string, { contestants }: Contest): Figures => {
  const ratio = contestants[1]?.cpu_ratio
  return ratio == null ? {} : { [name]: ratio }
}

/** Mints that wait are left out: how many share a transaction depends on what else the machine does. */
export const figuresOfMints = ({ rows }: Mints): Figures => {
  const ratio = rows.find(({ name }) => name === "async")?.cpu_ratio
  return ratio == null ? {} : { mint: ratio }
}

/** Takes what was measured for what is compared with from now on; other figures stay. */
export function writeBaseline(figures: Figures): void {
  const rounded = Object.entries(figures).map(([name, figure]) => [name, Number(figure.toFixed(3))])
  writeFileSync(file, `${JSON.stringify({ ...committed, ...Object.fromEntries(rounded) }, null, 2)}\n`)
}
