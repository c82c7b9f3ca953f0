import { expect, test } from "vitest"
import { firstDifference, readSignInText, type SignInInput, signInText } from "./sign-in-message.ts"

const input: SignInInput = {
  domain: "vouch.example.com:8443",
  address: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
  statement: "Prove that this wallet is yours. It costs nothing.",
  uri: "https://vouch.example.com:8443/verify",
  version: "1",
  chainId: "solana:mainnet",
  nonce: "4kDfHRuKxbVdvLzCNXkWqP",
  issuedAt: "2026-01-02T03:04:05Z",
  expirationTime: "2026-01-02T03:14:05Z",
  resources: ["https://vouch.example.com:8443/v1/attestation/att_1"],
}
const text = signInText(input)

test("the text follows the standard's grammar", () => {
  expect(text).toBe(
    `vouch.example.com:8443 wants you to sign in with your Solana account:
7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU

Prove that this wallet is yours. It costs nothing.

URI: https://vouch.example.com:8443/verify
Version: 1
Chain ID: solana:mainnet
Nonce: 4kDfHRuKxbVdvLzCNXkWqP
Issued At: 2026-01-02T03:04:05Z
Expiration Time: 2026-01-02T03:14:05Z
Resources:
- https://vouch.example.com:8443/v1/attestation/att_1`,
  )
})

test("a network without a name in the standard is omitted", () => {
  const { chainId: _, ...others } = input
  expect(signInText(others)).not.toContain("Chain ID")
  expect(firstDifference(others, signInText(others))).toBeNull()
  expect(firstDifference(others, text)).toBe("chainId")
  expect(firstDifference(input, signInText(others))).toBe("chainId")
})

test("a written text can be parsed", () => {
  expect(readSignInText(text)).toEqual({ ...input, notBefore: undefined, requestId: undefined })
  expect(
    readSignInText(`${input.domain} wants you to sign in with your Solana account:\n${input.address}`),
  ).toMatchObject({
    domain: input.domain,
    address: input.address,
    statement: undefined,
    resources: undefined,
  })
})

const others: [keyof SignInInput, string | string[]][] = [
  ["domain", "vouch.example.com"],
  ["address", "9vZbTqUc2mJXkLwRfY4hNsPdE7aG5tKoW3iBx1CyMr6Q"],
  ["statement", "Send everything."],
  ["uri", "https://evil.example/verify"],
  ["version", "2"],
  ["chainId", "solana:devnet"],
  ["nonce", "5kDfHRuKxbVdvLzCNXkWqP"],
  ["issuedAt", "2026-01-02T03:04:06Z"],
  ["expirationTime", "2027-01-02T03:14:05Z"],
  ["resources", ["https://vouch.example.com:8443/v1/attestation/att_2"]],
  ["resources", []],
]
test.each(others)("a different %s is reported", (field, value) => {
  expect(firstDifference(input, text)).toBeNull()
  expect(firstDifference(input, signInText({ ...input, [field]: value }))).toBe(field)
})

test.each([
  ["", "message"],
  ["hello", "message"],
  [`${text}\n`, "message"],
  [` ${text}`, "domain"],
  [`\ufeff${text}`, "domain"],
  [text.replaceAll("\n", "\r\n"), "message"],
  [text.replace("Nonce: ", "nonce: "), "message"],
  [text.replace("Version: 1\nChain ID: solana:mainnet", "Chain ID: solana:mainnet\nVersion: 1"), "message"],
  [text.replace(/Nonce: .*\n/, "$&$&"), "message"],
  [text.replace(/Nonce: .*\n/, ""), "nonce"],
  [text.replace("\nResources", "\nNot Before: 2020-01-01T00:00:00Z\nResources"), "notBefore"],
  [text.replace("\nResources", "\nRequest ID: 1\nResources"), "requestId"],
  [`${text}\n- https://evil.example`, "resources"],
  [`${text}\nNonce: ${input.nonce}`, "message"],
])("a text in another form is a different message: %j", (other, difference) => {
  expect(firstDifference(input, other)).toBe(difference)
})

test("a hostile text does not slow parsing down", () => {
  const hostile = `${"a wants you to sign in with your Solana account:".repeat(150)}\n${"\n\n".repeat(400)}`
  expect(readSignInText(hostile)).toBeNull()
})
