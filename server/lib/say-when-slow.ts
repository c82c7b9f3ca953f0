/** How long a step of the start may take before its name is printed, and how often it is repeated. */
const FIRST_MS = 2000
const EVERY_MS = 10_000

/** Waits for a step of the start and names a slow one on standard error: programs read the standard output. */
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
