import { afterEach, expect, test, vi } from "vitest"
import { welcome } from "./welcome.ts"

afterEach(() => vi.restoreAllMocks())

test.each([
  [null, "npm run --silent vouch -- key create --mode test\n"],
  ["Ann's fund", "npm run --silent vouch -- key create --mode test --account 'Ann'\\''s fund'\n"],
])("a restart prints a command for a new key, ready to paste (account: %s)", (accountToName, command) => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true)
  welcome({ origin: "http://localhost:3000", shortages: [], keys: null, ownerLink: null, accountToName })
  expect(write.mock.calls.join("")).toContain(command)
})
