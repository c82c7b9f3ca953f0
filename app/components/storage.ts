// What this browser remembers. If it blocks storage, it remembers nothing.

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Null forgets it. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {}
}

export function rememberedNames(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}
