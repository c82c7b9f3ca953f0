import { readFileSync } from "node:fs"
import { join } from "node:path"
import bs58 from "bs58"
import { expect, test } from "vitest"
import { isWalletAddress } from "#server/solana/addresses.ts"
import { isOnCurve } from "#server/solana/strict-ed25519.ts"
import { publicReasonOf } from "./public-reasons.ts"
import { type Decision, decisions } from "./statuses.ts"
import { testWallets } from "./test-wallets.ts"

test.each([...testWallets.keys()])(
  "%s is the address of a wallet whose name shows that no one has its key",
  (wallet) => {
    expect(isWalletAddress(wallet)).toBe(true)
    expect(isOnCurve(bs58.decode(wallet))).toBe(true)
    expect(wallet).toMatch(/^VouchTest[A-Za-z1]+1{10}.$/)
  },
)

test("there is a test wallet for every decision", () => {
  const there = new Set([...testWallets.values()].map(({ decision }) => decision))
  expect(there).toEqual(new Set(decisions))
})

test("the contract has the same table", () => {
  const contract = readFileSync(join(import.meta.dirname, "..", "docs", "contract.md"), "utf8")
  const rows = [...testWallets].map(([wallet, { decision, claims, publicReason }]) => {
    const reason =
      publicReason ?? publicReasonOf({ status: statusAfter(decision), event_decision: decision, public_reason: null })
    const person = claims.country && `${claims.country}, ${claims.accredited ? "" : "not "}accredited`
    return `| \`${wallet}\` | \`${decision}\` | ${person ?? (reason ? `\`${reason}\`` : "")} |`.replace("|  |", "| |")
  })
  expect(contract.split("\n").filter((line) => line.startsWith("| `VouchTest"))).toEqual(rows)
})

const statusAfter = (decision: Decision) => (decision === "rejected" ? "rejected" : "pending")
