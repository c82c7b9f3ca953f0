import { expect, test } from "vitest"
import { shownName } from "./visible.ts"

test.each(["  ", "\u00a0", "\u3164", "\u200b\u2800"])("a name of invisible characters is shown as such: %j", (name) => {
  expect(shownName(name)).toBe("(no visible name)")
})

test("a name with a visible character is shown unchanged", () => {
  expect(shownName(" jane-4711 ")).toBe(" jane-4711 ")
})
