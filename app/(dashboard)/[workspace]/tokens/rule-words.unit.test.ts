import { expect, test } from "vitest"
import { holdersInBrief } from "./rule-words.ts"

test("the list of tokens says in a few words who may hold one", () => {
  expect([
    holdersInBrief({}),
    holdersInBrief({ allowed_countries: ["US", "CA"], require_accredited: true }),
    holdersInBrief({ allowed_countries: ["DE", "FR", "IT", "ES"] }),
    holdersInBrief({ blocked_countries: ["KP"], max_holders: 99 }),
  ]).toEqual(["", "US, CA only, accredited", "4 countries only", "KP blocked"])
})
