import { expect, test } from "vitest"
import { subjectOf } from "./subject.ts"

test.each([
  ["/attestation/att_1", { what: "Attestation", id: "att_1", parts: ["attestations", "att_1"] }],
  ["/attestation/att_1/revoke", { what: "Attestation", id: "att_1", parts: ["attestations", "att_1"] }],
  // Its configuration is not in the path, so its page is not known yet.
  ["/token/operation/op_1", { what: "Operation", id: "op_1", parts: [] }],
])("%s names its subject", (path, subject) => {
  expect(subjectOf({ path, response_body: null })).toEqual(subject)
})

test("the answer to a mint names its operation", () => {
  const response_body = JSON.stringify({ operation_id: "op_1", mint_config: "fund_v1", status: "queued" })
  const parts = ["tokens", "fund_v1", "operations", "op_1"]
  expect(subjectOf({ path: "/token/mint", response_body })).toEqual({ what: "Operation", id: "op_1", parts })
})

test.each([
  ["nothing", null],
  ["a refusal", '{"error":"wallet_not_verified"}'],
  ["an incomplete operation", '{"operation_id":"op_1"}'],
  ["numbers", '{"operation_id":1,"mint_config":2}'],
  ["truncated JSON", '{"operation_id":"op_1","mint_con'],
  ["null", "null"],
])("an answer with %s names no subject", (_, response_body) => {
  expect(subjectOf({ path: "/token/mint", response_body })).toBeNull()
})
