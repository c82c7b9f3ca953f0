/** Seeded random numbers, so that a run's choices can be repeated. Race conditions cannot. */
export type Random = {
  /** From 0 up to, but not including, `limit`. */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
}

export const newSeed = (): number => Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31))

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  // mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)]!,
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const kept = shuffled[last]!
        shuffled[last] = shuffled[other]!
        shuffled[other] = kept
      }
      return shuffled
    },
  }
}
