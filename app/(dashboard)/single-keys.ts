import type { Section } from "./sections.ts"

/** The section that each letter opens after `g`. */
export const goTo: Record<string, Section> = {
  o: "overview",
  i: "investors",
  a: "attestations",
  s: "sessions",
  r: "reviews",
  t: "tokens",
  e: "events",
  w: "webhooks",
  l: "logs",
}

const NAME = "vouch.single-keys-off"

/**
 * Whether keys without a modifier are shortcuts. People who use speech input could trigger them by accident (WCAG
 * 2.1.4).
 */
export function readsSingleKeys(): boolean {
  try {
    return localStorage.getItem(NAME) === null
  } catch {
    return true
  }
}

export function setSingleKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, "1")
  } catch {
    // Without storage they are on again on the next page.
  }
}
