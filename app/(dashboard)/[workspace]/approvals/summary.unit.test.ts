import { expect, test } from "vitest"
import { type Approval, policyName, requesterOf, titleOf } from "./summary.ts"

const names = {
  person: (wallet: string) => ({ wa: "family-office-2", wb: "emma-larsson-1008" })[wallet] ?? wallet,
  token: (id: string) => (id === "hif" ? "Harbour Income Fund" : id),
  symbol: (id: string) => (id === "hif" ? "HIF" : id),
  object: (id: string) => ({ att_1: "emma-larsson-1008", key_1: "Investor portal" })[id] ?? id,
}

test.each<[string, Approval["action"], Approval["request"]]>([
  ["Mint 180,000 HIF to family-office-2", "mint", { amount: "180000", mint_config: "hif", user_pubkey: "wa" }],
  [
    "Transfer 1,298,000.50 HIF from family-office-2 to emma-larsson-1008",
    "transfer",
    { amount: "1298000.5", mint_config: "hif", from_pubkey: "wa", to_pubkey: "wb" },
  ],
  ["Redeem 5 HIF from family-office-2", "burn", { amount: "5", mint_config: "hif", user_pubkey: "wa" }],
  [
    "Release a hold: 5 HIF from emma-larsson-1008",
    "hold_release",
    { hold_id: "hold_1", amount: "5", mint_config: "hif", user_pubkey: "wb" },
  ],
  ["Unfreeze a wallet: family-office-2, every token", "unfreeze", { user_pubkey: "wa" }],
  ["Revoke a pending verification: emma-larsson-1008", "attestation_revoke", { attestation_id: "att_1" }],
  ["Create or rotate an API key: Investor portal", "key_create", { key_id: "key_1" }],
  ["Unpause a token: Harbour Income Fund", "unpause", { mint_config: "hif" }],
  ["Mint 1 gone to wallet", "mint", { amount: "1", mint_config: "gone", user_pubkey: "wallet" }],
])("%s", (title, action, request) => {
  expect(titleOf({ action, request }, names)).toBe(title)
})

test("an API key is named as one, and a member by their name", () => {
  expect(requesterOf({ requested_by: "Investor portal", requester_id: "key_4Mp" })).toBe("API key Investor portal")
  expect(requesterOf({ requested_by: "Ada Byron", requester_id: "V1StGXR8" })).toBe("Ada Byron")
})

test("a policy is named by what it binds of a request", () => {
  const policy = { actions: ["mint" as const, "burn" as const], mint_config: null, min_amount: "100000" }
  expect(policyName(policy, "mint", names.symbol)).toBe("Mint, 100,000 or more")
  expect(policyName({ ...policy, mint_config: "hif", min_amount: null }, "burn", names.symbol)).toBe("Redeem (HIF)")
  expect(policyName({ ...policy, actions: ["while_paused"], min_amount: null }, "burn", names.symbol)).toBe(
    "Redeem or force a transfer while paused",
  )
})
