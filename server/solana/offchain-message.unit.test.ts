import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { unwrapMessage } from "./offchain-message.ts"

const signer = randomBytes(32)
const text = Buffer.from("line one\nline two")
const domain = Buffer.from("ff736f6c616e61206f6666636861696e", "hex")
const length = Buffer.from([text.length, 0])
const byte = (value: number) => Buffer.from([value])
const application = randomBytes(32)

const v0 = Buffer.concat([domain, byte(0), application, byte(1), byte(1), signer, length, text])
const ledger = Buffer.concat([domain, byte(0), byte(1), length, text])
const v1 = Buffer.concat([domain, byte(1), byte(1), signer, text])

test.each([
  ["version 0", v0],
  ["version 0 as Ledger's app writes it", ledger],
  ["version 0 with a longer text", Buffer.concat([domain, byte(0), byte(2), length, text])],
  ["version 1", v1],
])("the text in a message is read: %s", (_name, wrapped) => {
  expect(unwrapMessage(wrapped, signer)).toEqual(text)
})

test.each([
  ["nothing", Buffer.alloc(0)],
  ["the text itself", text],
  ["another domain", Buffer.concat([Buffer.from("ff736f6c616e61206f6666636861696f", "hex"), v1.subarray(16)])],
  ["another version", Buffer.concat([domain, byte(2), v1.subarray(17)])],
  ["another signer", Buffer.concat([domain, byte(1), byte(1), randomBytes(32), text])],
  ["two signers", Buffer.concat([domain, byte(1), byte(2), signer, randomBytes(32), text])],
  ["no signer", Buffer.concat([domain, byte(1), byte(0), text])],
  ["another format", Buffer.concat([domain, byte(0), byte(3), length, text])],
  ["a shorter length", Buffer.concat([domain, byte(0), byte(1), byte(text.length - 1), byte(0), text])],
  ["a byte more", Buffer.concat([v0, byte(0)])],
  ["a byte less", ledger.subarray(0, -1)],
  ["its beginning", v0.subarray(0, 30)],
  ["its domain", domain],
])("not a message: %s", (_name, bytes) => {
  expect(unwrapMessage(bytes, signer)).toBeNull()
})
