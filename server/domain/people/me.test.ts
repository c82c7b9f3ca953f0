import { expect, test } from "vitest"
import { Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("a person’s time zone applies wherever they sign in; without one, the browser’s applies", async () => {
  const [ada, eve] = [await member(app), await member(app)]
  const zoneOf = async (browser: Browser) => (await browser.query("me.get")).data.user.time_zone
  expect(await zoneOf(ada.browser)).toBeNull()
  for (const zone of ["Asia/Kathmandu", "UTC", "America/Argentina/Buenos_Aires"]) {
    expect((await ada.browser.mutate("me.setTimeZone", { time_zone: zone })).data).toEqual({
      time_zone: zone,
    })
  }
  const phone = new Browser(app)
  await phone.signIn(ada.email)
  expect(await zoneOf(phone)).toBe("America/Argentina/Buenos_Aires")
  expect(await zoneOf(eve.browser)).toBeNull()
  for (const zone of ["Mars/Olympus", "+02:00", "", "UTC; drop", "x".repeat(65)]) {
    const { status, error } = await ada.browser.mutate("me.setTimeZone", { time_zone: zone })
    expect([zone, status, error.error]).toEqual([zone, 422, "validation_failed"])
    expect(error.detail).toMatch(/^time_zone: /)
  }
  await ada.browser.mutate("me.setTimeZone", { time_zone: null })
  expect(await zoneOf(phone)).toBeNull()
})
