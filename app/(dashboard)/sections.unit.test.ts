import { existsSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { isSection, sections } from "./sections.ts"

const pages = fileURLToPath(new URL("./[workspace]/", import.meta.url))

test("every section in the menu has a page, and every page has a link", () => {
  const withPage = readdirSync(pages).filter((name) => existsSync(`${pages}${name}/page.tsx`))
  expect(withPage.sort()).toEqual(Object.keys(sections).sort())
})

test.each(["", "nowhere", "toString", "__proto__", "Overview"])("%j is no section", (part) => {
  expect(isSection(part)).toBe(false)
})
