type Waiting<Key, Found> = { key: Key; resolve: (found: Found | undefined) => void; reject: (error: unknown) => void }

/**
 * Looks up what many requests ask for at once. While `read` is working, lookups wait and then become its next call. It
 * returns what it found in the order of the keys. If it fails, all lookups of that call fail.
 */
export function inBatches<Key, Found>(
  read: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>,
): (key: Key) => Promise<Found | undefined> {
  let waiting: Waiting<Key, Found>[] = []
  let isBusy = false
  const readAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const found = await read(batch.map(({ key }) => key))
        for (const [n, { resolve }] of batch.entries()) resolve(found[n])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isBusy = false
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isBusy) return
      isBusy = true
      setImmediate(readAll)
    })
}
