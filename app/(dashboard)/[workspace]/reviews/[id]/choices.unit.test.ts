import { expect, test } from "vitest"
import { suggestionsFor } from "./choices.tsx"

test.each([
  ["PEP screening: 1 possible match", "approve", ["False positive", "Different person"]],
  ["PEP screening: 1 possible match", "reject", ["Match confirmed"]],
  [
    "PEP screening: 1 possible match",
    "request_resubmission",
    ["Document unreadable", "Document expired", "Details differ"],
  ],
  ["Document: the photo page is partly covered", "approve", ["Document accepted"]],
  ["Document: the photo page is partly covered", "reject", ["Document not accepted", "Details differ"]],
  ["Something else", "approve", ["Document accepted", "False positive", "Different person"]],
  [null, "clear", ["False positive", "Different person"]],
  ["The document expired", "clear", []],
] as const)("%j has reasons that fit %s", (said, decision, reasons) => {
  expect(suggestionsFor(decision, said)).toEqual(reasons)
})
