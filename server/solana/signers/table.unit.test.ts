import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Keypair } from "@solana/web3.js"
import { describe, expect, test } from "vitest"
import { parseSettings } from "#server/settings/env.ts"
import { localKeys } from "../keys.ts"
import { readChosen } from "./choose.ts"
import { SignerFailure, WrongSigner } from "./definition.ts"
import { examples, readSigner } from "./table.ts"

const keys = localKeys(Buffer.alloc(32, 7))
const context = { keys, purpose: "fee-payer/live" }
const versions = "projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions"

test.each(examples)("the example %s is parsed", (example) => {
  for (const uri of example.split(" or ")) expect(readSigner(uri).uri).toBe(uri)
})

test.each([
  ["", /must begin with one of derived:/],
  ["/etc/key.json", /must begin with one of/],
  ["azure-kms:key", /must begin with one of/],
  ["derived:a/b", /at most 64/],
  ["file:key.json", /absolute path/],
  ["aws-kms:1234abcd", /\?region=/],
  ["aws-kms:arn:aws:s3:::bucket", /ARN/],
  [`gcp-kms:${versions}`, /cryptoKeyVersions/],
  [`gcp-kms:${versions}/1/../2`, /cryptoKeyVersions/],
  ["vault:transit/keys/a?version=1", /an address/],
  ["vault:http://vault.example.com/transit/keys/a?version=1", /https/],
  ["vault:https://vault.example.com/transit/a?version=1", /\/<mount>\/keys\/<name>/],
  ["vault:https://vault.example.com/transit/keys/a", /\?version=/],
  ["vault:https://vault.example.com/transit/keys/a?version=1&token=hvs.secret", /\?version=/],
  ["vault:https://:hvs.secret@vault.example.com/transit/keys/a?version=1", /VAULT_TOKEN_FILE/],
])("%s is refused, and the message does not repeat it", (uri, sentence) => {
  const read = () => readSigner(uri)
  expect(read).toThrow(WrongSigner)
  expect(read).toThrow(sentence)
  expect(read).not.toThrow(/secret/)
})

test("invalid signers in the settings stop the start, and all are named", () => {
  const start = () => readChosen(parseSettings({ VOUCH_LIVE_FEE_PAYER: "file:a", VOUCH_TEST_AUTHORITY: "derived:2" }))
  expect(start).toThrow(/VOUCH_LIVE_FEE_PAYER: what follows file: must be an absolute path/)
  expect(start).toThrow(/VOUCH_TEST_AUTHORITY: each workspace derives its own key/)
})

test("derived: is the first key, and a name selects another one", () => {
  const open = (uri: string) => {
    const opened = readSigner(uri).open(context)
    return "here" in opened ? opened.here.publicKey.toBase58() : null
  }
  expect(open("derived:")).toBe(keys("fee-payer/live").publicKey.toBase58())
  expect(open("derived:2")).toBe(keys("fee-payer/live/2").publicKey.toBase58())
  expect(open("derived:2")).not.toBe(open("derived:"))
})

describe("a keypair file", () => {
  const pair = Keypair.generate()
  const directory = mkdtempSync(join(tmpdir(), "vouch-keypair-"))
  const write = (content: string, mode = 0o600) => {
    const path = join(directory, `${Math.random()}.json`)
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }
  const open = (path: string) => readSigner(`file:${path}`).open(context)

  test.each([0o600, 0o400, 0o440])("of Solana's tools is read with permissions %o", (mode) => {
    const opened = open(write(JSON.stringify([...pair.secretKey]), mode))
    expect("here" in opened && opened.here.publicKey.equals(pair.publicKey)).toBe(true)
  })

  const bytes = [...pair.secretKey]
  test.each([
    ["everyone may read", JSON.stringify(bytes), 0o644, /chmod 600/],
    ["its group may change", JSON.stringify(bytes), 0o660, /chmod 600/],
    ["is not JSON", "[1, 2", 0o600, /not JSON/],
    ["has too few numbers", JSON.stringify(bytes.slice(1)), 0o600, /64 numbers/],
    ["has a number that is not a byte", JSON.stringify([256, ...bytes.slice(1)]), 0o600, /64 numbers/],
    ["has another public key", JSON.stringify([...bytes.slice(0, 63), bytes[63]! ^ 1]), 0o600, /public key/],
  ])("that %s is refused, and the error contains no byte of it", (_what, content, mode, sentence) => {
    const opening = () => open(write(content, mode))
    expect(opening).toThrow(SignerFailure)
    expect(opening).toThrow(sentence)
    expect(opening).not.toThrow(new RegExp(bytes.slice(0, 4).join(",")))
  })

  test("that is missing is named in the error", () => {
    expect(() => open("/nowhere/key.json")).toThrow(/\/nowhere\/key.json cannot be read: ENOENT/)
  })
})
