import { afterEach, beforeEach, expect, test, vi } from "vitest"

type Keys = typeof import("./idempotency-key.ts")

let tabs = 0
/** Another tab of the same browser: a separate module with the same storage. */
const openTab = (): Promise<Keys> => import(/* @vite-ignore */ `./idempotency-key.ts?tab=${++tabs}`)

/** A browser's storage: its items are its own properties, as `Object.keys` finds them. */
function storage(): Storage {
  const methods = {
    getItem: (name: string) => (Object.hasOwn(items, name) ? items[name] : null),
    setItem: (name: string, value: string) => {
      items[name] = value
    },
    removeItem: (name: string) => {
      delete items[name]
    },
  }
  const items: Record<string, string> = Object.create(methods)
  return items as unknown as Storage
}

const HOUR_MS = 3_600_000
const mint = ["user", "ws_1", "mint", "fund_v1", "", "wallet", "100"]

let tab: Keys
beforeEach(async () => {
  vi.useFakeTimers({ now: new Date("2027-01-01T00:00:00Z") })
  vi.stubGlobal("localStorage", storage())
  tab = await openTab()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const keyIn = (keys: Keys, content: string[]) => keys.keyFor(keys.nameOf(content))

test("the same content has the same key, in another tab and after a reload too", async () => {
  const key = keyIn(tab, mint)
  expect(keyIn(tab, mint)).toBe(key)
  expect(keyIn(await openTab(), mint)).toBe(key)
})

test.each(mint.map((_, index) => [index]))("other content has another key (part %i)", (index) => {
  const other = mint.map((part, at) => (at === index ? `${part}1` : part))
  expect(keyIn(tab, other)).not.toBe(keyIn(tab, mint))
})

test("two lists of parts that join to the same text have different keys", () => {
  expect(keyIn(tab, ["a", "bc"])).not.toBe(keyIn(tab, ["ab", "c"]))
  expect(keyIn(tab, ['a","b'])).not.toBe(keyIn(tab, ["a", "b"]))
})

test("once the operation has begun, the same content has another key in every tab", async () => {
  const key = keyIn(tab, mint)
  const other = await openTab()
  expect(keyIn(other, mint)).toBe(key)
  tab.forgetKey(tab.nameOf(mint))
  const next = keyIn(tab, mint)
  expect(next).not.toBe(key)
  expect(keyIn(other, mint)).toBe(next)
})

test("a key is kept for a day, as on the server, and no longer", () => {
  const key = keyIn(tab, mint)
  vi.advanceTimersByTime(24 * HOUR_MS - 1)
  expect(keyIn(tab, mint)).toBe(key)
  vi.advanceTimersByTime(1)
  expect(keyIn(tab, mint)).not.toBe(key)
})

test("old keys are removed from the storage, and other entries stay", () => {
  localStorage.setItem("theirs", "kept")
  keyIn(tab, mint)
  vi.advanceTimersByTime(25 * HOUR_MS)
  const other = ["another"]
  keyIn(tab, other)
  expect(Object.keys(localStorage)).toEqual(["theirs", tab.nameOf(other)])
})

test.each([
  ["forbids its storage", () => vi.stubGlobal("localStorage", undefined)],
  [
    "has a full storage",
    () =>
      vi.stubGlobal(
        "localStorage",
        Object.assign(storage(), {
          setItem: () => {
            throw new Error("full")
          },
        }),
      ),
  ],
])("a browser that %s keeps a key for as long as its page is open", (_, restrict) => {
  restrict()
  const key = keyIn(tab, mint)
  expect(keyIn(tab, mint)).toBe(key)
  tab.forgetKey(tab.nameOf(mint))
  expect(keyIn(tab, mint)).not.toBe(key)
})

test("keys are valid in a header and unique", () => {
  const keys = Array.from({ length: 100 }, (_, index) => keyIn(tab, [String(index)]))
  expect(new Set(keys).size).toBe(keys.length)
  for (const key of keys) expect(key).toMatch(/^[0-9a-z-]{8,255}$/)
})
