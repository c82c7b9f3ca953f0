import { useSyncExternalStore } from "react"
import { remember, remembered } from "./storage.ts"

const NAME = "vouch.docs-language"
const listeners = new Set<() => void>()
let chosen: string | null = null

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const read = (): string | null => chosen ?? remembered(NAME)

/** The language of code samples that was chosen in this browser, on any page; null if none was. */
export const useSampleLanguage = (): string | null => useSyncExternalStore(subscribe, read, () => null)

export function chooseSampleLanguage(language: string): void {
  chosen = language
  remember(NAME, language)
  for (const listener of listeners) listener()
}
