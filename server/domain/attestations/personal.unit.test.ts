import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { claimNames } from "#shared/claims.ts"
import { maskedFields, personalColumns } from "./personal.ts"

test.each(personalColumns)("docs/security.md says that attestations.%s is erased", (column) => {
  const security = readFileSync(join(import.meta.dirname, "../../../docs/security.md"), "utf8")
  const row = security.split("\n").find((line) => line.startsWith("| `attestations.")) ?? ""
  expect(row.replace("attestations.", "")).toContain(`\`${column}\``)
})

test("no claim, and nothing that opens a session, is kept by the request log", () => {
  for (const field of [...claimNames, "claims", "session_id", "session_url"]) expect(maskedFields.has(field)).toBe(true)
})
