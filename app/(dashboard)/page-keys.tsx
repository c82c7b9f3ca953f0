import { useLayoutEffect } from "react"
import { useIsReady } from "#app/components/store.ts"
import { readsSingleKeys } from "./sections.ts"

type Keys = Readonly<Record<string, () => void>>

/** What single keys do on the page that is shown, by the parts that read them. */
const shown = new Set<Keys>()

/** Carries out what a key does on this page, and returns whether it does anything. `keys.tsx` calls it. */
export function pressOnPage(key: string): boolean {
  const acts = [...shown].flatMap((keys) => keys[key] ?? [])
  for (const act of acts) act()
  return acts.length > 0
}

/** Gives the page its own keys while the calling part is shown, such as `j`. `g`, `?` and `/` are taken. */
export function usePageKeys(keys: Keys): void {
  // Before the page is drawn, because its reader may press a key at once.
  useLayoutEffect(() => {
    shown.add(keys)
    return () => void shown.delete(keys)
  })
}

/** The key on a button. Hidden from screen readers, which read `aria-keyshortcuts`, and if single keys are off. */
export function KeyHint({ of: key }: { of: string | undefined }) {
  const isReady = useIsReady()
  if (key === undefined || !isReady || !readsSingleKeys()) return null
  return (
    <span
      aria-hidden="true"
      className="rounded border border-current/25 px-1 font-mono text-[11px] leading-4 opacity-75 max-sm:hidden pointer-coarse:hidden"
    >
      {key.toUpperCase()}
    </span>
  )
}
