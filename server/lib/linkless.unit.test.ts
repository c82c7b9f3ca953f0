import { expect, test } from "vitest"
import { hasLink, linkless } from "./linkless.ts"

const links = [
  "Your bank account is locked: https://bank.example/login",
  "Locked. Go to bank-login.com",
  "HTTP://EVIL",
  "ftp://files",
  "www.evil",
  "evil.co.uk",
  "банк.рф",
  "bank。com",
  "bank．com",
  "bank․com",
  "ba\u200bnk\u2060.com",
  "write to help@bank",
  "mailto:help",
  "call tel:+4930123456",
  "10.0.0.1/login",
  "\\\\server\\share",
  "xn--bank-1na.com",
  "münchen.de",
  "💩.la",
  "bank.\ufe0fcom",
  "bank.\u034fcom",
  "bank.\u0301com",
]

test.each(links)("a mail client would turn this into a link: %s", (text) => {
  expect(hasLink(text)).toBe(true)
  expect(hasLink(linkless(text))).toBe(false)
})

test.each([
  "Acme Inc.",
  "J.P. Morgan",
  "U.S. Bancorp S.A.",
  "St. Gallen Capital",
  "Fund No.5",
  "A/B Partners (2026)",
  "Smith & Sons: Real Estate",
  "株式会社アクメ。",
  "Müller GmbH & Co. KG",
  "1.5x Fund",
])("not a link: %s", (text) => {
  expect(hasLink(text)).toBe(false)
  expect(linkless(text)).toBe(text)
})
