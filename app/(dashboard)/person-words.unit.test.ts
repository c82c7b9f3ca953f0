import { expect, test } from "vitest"
import { nameOf, standingWords } from "./person-words.ts"

const user_pubkey = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const wordsOf = (standing: Parameters<typeof standingWords>[0]) => standingWords(standing, (at) => at.slice(0, 10))
const at = "2027-03-01T10:00:00Z"

test("a person is called by the company's own id, and by the wallet without one", () => {
  expect(nameOf({ external_id: "emma-larsson-1008", user_pubkey })).toBe("emma-larsson-1008")
  expect(nameOf({ external_id: null, user_pubkey })).toBe("7xKXtg2C…uJosgAsU")
})

test("a status says until when, or since when", () => {
  expect(wordsOf({ status: "verified", at })).toEqual({ words: "Verified until 2027-03-01", tone: "good" })
  expect(wordsOf({ status: "expired", at })).toEqual({ words: "Expired on 2027-03-01", tone: "bad" })
  expect(wordsOf({ status: "revoked", at: null })).toEqual({ words: "Revoked", tone: "bad" })
  expect(wordsOf({ status: "in_review", at: null })).toEqual({ words: "Under review", tone: "notice" })
  expect(wordsOf({ status: null, at: null })).toEqual({ words: "Never verified", tone: "bad" })
})

test("what keeps a verified wallet from the token comes before its verification", () => {
  const refused = (refusal: string) => wordsOf({ status: "verified", at, refusal }).words
  expect(refused("country_not_allowed")).toBe("Country not allowed by this token")
  expect(refused("wallet_frozen")).toBe("Frozen")
})

test("for a wallet that is not verified, the status says why", () => {
  expect(wordsOf({ status: "expired", at, refusal: "wallet_not_verified" }).words).toBe("Expired on 2027-03-01")
})
