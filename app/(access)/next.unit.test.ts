import fc from "fast-check"
import { expect, test } from "vitest"
import { pageOfOurs } from "./next.ts"

const ORIGIN = "https://vouch.example.com"

/** Resolves a target as `location.assign` would from one of our pages. */
const destination = (page: string) => new URL(page, `${ORIGIN}/sign-in?next=x`)

test.each([
  "//evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "/x/..//evil.example",
  "/x/../..//evil.example/y",
  "/%2e//evil.example",
  "/%2E%2e//evil.example",
  "/x/%2e%2e//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/.\\/evil.example",
  "/\t/evil.example",
  "\n//evil.example",
  "/.\t//evil.example",
  "https://evil.example",
  "https:evil.example",
  "https:/\\evil.example",
  "https://vouch.example.com@evil.example",
  "https://vouch.example.com.evil.example",
  "https://vouch.example.com//evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "blob:https://vouch.example.com/x",
  "http://vouch.example.com/",
  "",
])("%j never leads to another server", (next) => {
  expect(destination(pageOfOurs(next, ORIGIN)).origin).toBe(ORIGIN)
})

test("a page of this server is opened with its query", () => {
  expect(pageOfOurs("/ws_1/settings?part=account", ORIGIN)).toBe("/ws_1/settings?part=account")
  expect(pageOfOurs("/join?token=a_-b", ORIGIN)).toBe("/join?token=a_-b")
  expect(pageOfOurs(`${ORIGIN}/ws_1/overview`, ORIGIN)).toBe("/ws_1/overview")
  expect(pageOfOurs(undefined, ORIGIN)).toBe("/")
})

test("no combination of the characters that matter in addresses leads to another server", () => {
  const part = fc.constantFrom(
    ..."/\\.:@?#%\t\n\r \0;".split(""),
    "//",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "%09",
    "。",
    "／",
    "x",
    "https:",
    "http:",
    "javascript:",
    "evil.example",
    ORIGIN,
  )
  const next = fc.oneof(
    fc.array(part, { maxLength: 10 }).map((parts) => parts.join("")),
    fc.array(part, { maxLength: 10 }).map((parts) => `/${parts.join("")}`),
    fc.webUrl(),
    fc.string({ unit: "binary" }),
  )
  fc.assert(
    fc.property(next, (next) => {
      const page = pageOfOurs(next, ORIGIN)
      expect(page).toMatch(/^\/(?![/\\])/)
      expect(destination(page).origin).toBe(ORIGIN)
    }),
    { numRuns: 20_000 },
  )
})
