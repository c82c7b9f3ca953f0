import { expect, test } from "vitest"
import { namedIn } from "./request-subjects.ts"

const ONE = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const TWO = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

test.each([
  ["/kyc/status/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", null, [["Wallet", ONE]], null],
  [`/token/lots/${ONE}?mint_config=fund_v1`, null, [["Wallet", ONE]], "fund_v1"],
  ["/token/register/fund_v1", null, [], "fund_v1"],
  ["/mint-config/fund_v1", null, [], "fund_v1"],
  [`/investors?wallet=${ONE}`, null, [["Wallet", ONE]], null],
  ["/token/mint", `{"user_pubkey":"${ONE}","mint_config":"fund_v1","amount":"1"}`, [["Wallet", ONE]], "fund_v1"],
  [
    "/token/transfer",
    `{"from_pubkey":"${ONE}","to_pubkey":"${TWO}","mint_config":"fund_v1"}`,
    [
      ["From", ONE],
      ["To", TWO],
    ],
    "fund_v1",
  ],
  // Each wallet once.
  ["/token/transfer", `{"from_pubkey":"${ONE}","to_pubkey":"${ONE}"}`, [["From", ONE]], null],
  // A body that was cut off.
  ["/token/mint", `{"user_pubkey":"${ONE}","reference":"long … (1200 bytes in all)`, [["Wallet", ONE]], null],
  ["/token/mint", '{"user_pubkey":"invalid","mint":"x"}', [], null],
  ["/usage", null, [], null],
])("%s with %s names its wallets and its token", (path, request_body, wallets, token) => {
  const named = namedIn({ path: path as string, request_body: request_body as string | null })
  expect(named.wallets.map(({ role, wallet }) => [role, wallet])).toEqual(wallets)
  expect(named.token).toBe(token)
})

test("at most ten wallets are looked up", () => {
  const address = (n: number) => ONE.slice(0, 43) + "123456789ABCDEFGH"[n]
  const fields = ["user_pubkey", "from_pubkey"].flatMap((name) =>
    Array.from({ length: 8 }, (_, n) => `"${name}":"${address(n + (name === "from_pubkey" ? 8 : 0))}"`),
  )
  expect(namedIn({ path: "/x", request_body: `{${fields.join()}}` }).wallets).toHaveLength(10)
})
