import { expect, test } from "vitest"
import {
  actions,
  actionsFor,
  actionsWith,
  matchingActions,
  replayOf,
  requestsOf,
  revocationsOf,
  rotationOf,
  verbIn,
} from "./actions.ts"

const all = [
  ...actions,
  ...actionsWith({ id: "us_fund_v1", name: "US Fund", symbol: "USF" }),
  replayOf({ endpoint_id: "whe_1", url: "https://a.example/hooks" }),
  rotationOf({ key_id: "key_1", name: "Investor portal" }),
]
const found = (text: string) => matchingActions(all, text).map(({ name }) => name)

test("people find an action by its words and by synonyms, in any order and case", () => {
  for (const [text, name] of [
    ["mint", "Mint USF"],
    ["issue us fund", "Mint USF"],
    ["SEND usf", "Transfer USF"],
    ["new key", "Create API key"],
    ["key new", "Create API key"],
    ["new token", "Create token"],
    ["start session", "Start session"],
    ["verify", "Start session"],
    ["new webhook", "Add webhook endpoint"],
    ["revoke ver", "Revoke a verification"],
    ["dividend", "Create distribution"],
    ["invite", "Invite member"],
    ["debug", "Show refused requests"],
    ["rotate inv", "Rotate Investor portal"],
    ["replay failed", "Replay failed events of https://a.example/hooks"],
    ["export inv", "Export investors"],
    ["csv audit", "Export the audit log"],
  ] as const)
    expect([text, found(text)]).toEqual([text, expect.arrayContaining([name])])
})

test("every word must match the beginning of one, and nothing matches before something is typed", () => {
  for (const text of ["", "  ", "mint zebra", "ession", "evoke", "%"]) expect([text, found(text)]).toEqual([text, []])
})

test("a status code of an error finds the requests that were answered with it", () => {
  expect(requestsOf("403")).toMatchObject([{ name: "Show requests answered 403", query: "?status=403" }])
  for (const text of ["", "200", "40", "4031", "error"]) expect(requestsOf(text)).toEqual([])
})

test("a person is offered a mint of each of the first tokens, and a session, each with their wallet", () => {
  const tokens = ["a", "b", "c", "d", "e"].map((id) => ({ id, symbol: id.toUpperCase() }))
  const offered = actionsFor({ name: "emma & co", wallet: "7xKX", externalId: "emma & co" }, tokens)
  expect(offered.map(({ name }) => name)).toEqual([
    ...["A", "B", "C", "D"].map((symbol) => `Mint ${symbol} to emma & co`),
    "Start session for emma & co",
  ])
  expect(offered[1]).toMatchObject({ needs: "token:mint", path: ["tokens", "b"], query: "?form=mint&wallet=7xKX" })
  expect(offered[4]).toMatchObject({ needs: "kyc:write", query: "?wallet=7xKX&external_id=emma+%26+co" })
  expect(actionsFor({ name: "7xKX", wallet: "7xKX", externalId: null }, [])[0]!.query).toBe("?wallet=7xKX")
})

test("a verb before a name is an action, and alone it is a text like others", () => {
  expect(verbIn("Revoke  jan novak")).toEqual({ verb: "revoke", rest: "jan novak" })
  for (const text of ["revoke", "revoked novak", "novak revoke"])
    expect(verbIn(text)).toEqual({ verb: null, rest: text })
})

test("a revocation is offered for each verification that is not over", () => {
  const verifications = ["verified", "revoked", "pending", "expired"].map((status) => ({
    attestation_id: `att_${status}`,
    status,
  }))
  expect(revocationsOf("novak", verifications, ({ status }) => `${status} check`)).toMatchObject([
    { name: "Revoke verified check of novak", path: ["attestations", "att_verified"], query: "?form=revoke" },
    { name: "Revoke pending check of novak", path: ["attestations", "att_pending"], query: "?form=revoke" },
  ])
})
