import { useEffect } from "react"

type Keys = Readonly<Record<string, () => void>>

/** What single keys do on the page that is shown, by the parts that read them. */
const shown = new Set<Keys>()

/** Carries out what a key does on this page, and returns whether it does anything. `keys.tsx` calls it. */
export function pressOnPage(key: string): boolean {
  const acts = [...shown].flatMap((keys) => keys[key] ?? [])
  for (const act of acts) act()
  return acts.length > 0
}

/** Gives the page keys of its own while the calling part is shown, such as `j`. `g`, `?` and `/` are taken. */
export function usePageKeys(keys: Keys): void {
  useEffect(() => {
    shown.add(keys)
    return () => void shown.delete(keys)
  })
}
