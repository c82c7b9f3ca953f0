import { expect, test } from "vitest"
import { isPhone, linkInto, walletApps } from "./wallet-apps.ts"

const PAGE = "https://vouch.example.com/verify/sess_1?a=b&c=d e"

test.each(walletApps)("a link opens the page in $name and names the linking site", (app) => {
  const link = new URL(linkInto(app, PAGE))
  expect(link.protocol).toBe("https:")
  expect([...link.searchParams]).toEqual([["ref", "https://vouch.example.com"]])
  const [, page] = link.href.split("?")[0]!.split("/browse/")
  expect(decodeURIComponent(page!)).toBe(new URL(PAGE).href)
})

test.each([
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", 5, true],
  ["Mozilla/5.0 (Linux; Android 16; Pixel 10)", 5, true],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", 5, true],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", 0, false],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64)", 10, false],
  ["Mozilla/5.0 (X11; Linux x86_64)", 0, false],
])("a phone is recognized: %s with %i touch points", (userAgent, maxTouchPoints, is) => {
  expect(isPhone({ userAgent, maxTouchPoints })).toBe(is)
})
