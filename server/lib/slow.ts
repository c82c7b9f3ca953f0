/** How long a step of the start may take before it is said what is waited for, and how often it says it again. */
const FIRST_MS = 2000
const EVERY_MS = 10_000

/**
 * Waits for a step of the start. One that is slow is named, so that nobody takes the start for dead: on standard error,
 * as what a command prints is read by programs.
 */
export async function sayWhenSlow<T>(
  what: string,
  step: Promise<T>,
  { firstMs = FIRST_MS, everyMs = EVERY_MS, say = toStandardError } = {},
): Promise<T> {
  const began = performance.now()
  const again = () => {
    say(`Waiting for ${what} (${Math.round((performance.now() - began) / 1000)} s)`)
    timer = setTimeout(again, everyMs)
  }
  let timer = setTimeout(again, firstMs)
  try {
    return await step
  } finally {
    clearTimeout(timer)
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`)
