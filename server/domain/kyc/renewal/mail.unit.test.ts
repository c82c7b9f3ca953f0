import { expect, test } from "vitest"
import { languageCodes } from "#shared/languages.ts"
import { renewalMail } from "./mail.ts"

test("no name in the mail becomes a link", () => {
  const { subject, text } = renewalMail({
    ...{ company: "Locked: https://evil.example", schema_name: "call www.evil", wallet: "7Np41" },
    ...{ language: "en", mode: "live" },
    ...{ expires_at: new Date("2026-03-04T05:06:07Z"), url: "https://vouch.example/verify/renew_x" },
  })
  expect(subject + text).toContain("Locked https evil example")
  expect(subject + text).not.toMatch(/evil\.example|www\./)
})

test("each language has its own mail, with the company, the date and the link", () => {
  const mails = languageCodes.map((language) =>
    renewalMail({
      ...{ company: "Acme", schema_name: "Individual identity", wallet: "7Np41", language, mode: "live" },
      ...{ expires_at: new Date("2026-03-04T05:06:07Z"), url: "https://vouch.example/verify/renew_x" },
    }),
  )
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(languageCodes.length)
  for (const { subject, text } of mails) {
    expect(subject).toContain("Acme")
    for (const part of ["Acme", "7Np41", "2026", "05:06", "UTC", "https://vouch.example/verify/renew_x"])
      expect(text).toContain(part)
    expect(text).not.toMatch(/undefined|\[Test\]/)
  }
})

test("an Arabic subject is read from right to left, also in test mode", () => {
  const { subject } = renewalMail({
    ...{ company: "Acme", schema_name: "Individual identity", wallet: "7Np41", language: "ar", mode: "test" },
    ...{ expires_at: new Date("2026-03-04T05:06:07Z"), url: "https://vouch.example/verify/renew_x" },
  })
  expect(subject).toBe("\u200f[Test] يُرجى تجديد التحقق لدى Acme قبل 4 مارس 2026")
})
