import { expect, test } from "vitest"
import { actions, actionsWith, matchingActions } from "./actions.ts"

const all = [...actions, ...actionsWith({ id: "us_fund_v1", name: "US Fund", symbol: "USF" })]
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
    ["403", "Show refused requests"],
    ["replay", "Replay failed events"],
    ["export inv", "Export investors"],
    ["csv audit", "Export the audit log"],
  ] as const)
    expect([text, found(text)]).toEqual([text, expect.arrayContaining([name])])
})

test("every word must match the beginning of one, and nothing matches before something is typed", () => {
  for (const text of ["", "  ", "mint zebra", "ession", "evoke", "%"]) expect([text, found(text)]).toEqual([text, []])
})
