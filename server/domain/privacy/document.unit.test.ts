import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { personalColumns } from "#server/domain/attestations/personal.ts"
import { DOCUMENT, renderDocument } from "./document.ts"
import { type Kept, kept } from "./kept.ts"

const text = readFileSync(DOCUMENT, "utf8")

test("docs/privacy.md lists every table and column (run npm run privacy:write)", () => {
  expect(text).toBe(renderDocument(text))
  for (const [name, table] of Object.entries<Kept>(kept)) {
    expect(text).toContain(`\`${name}\``)
    const columns = table.of === "investors" ? Object.keys(table.columns) : []
    const section = text.split(`#### \`${name}\``)[1]?.split("\n#")[0] ?? ""
    for (const column of columns) expect(section, name).toContain(`\`${column}\``)
  }
})

test("the columns of attestations that it lists as erased are those that an erasure empties", () => {
  const columns = Object.entries(kept.attestations.columns)
  const erased = columns.filter(([, says]) => typeof says === "string").map(([column]) => column)
  expect(erased.sort()).toEqual([...personalColumns].sort())
})
