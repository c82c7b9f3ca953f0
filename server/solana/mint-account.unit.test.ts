import { Keypair } from "@solana/web3.js"
import { expect, test } from "vitest"
import { newId } from "#server/lib/ids.ts"
import { mintExtensions } from "#shared/mint-extensions.ts"
import { newMintPlace } from "#test/doubles/keys.ts"
import { createAssetMint } from "./asset.ts"
import { createCredentialMint } from "./credential.ts"
import { operationMemo } from "./memo.ts"
import { computeBudget, MAX_TRANSACTION_BYTES, TransactionSize } from "./transaction.ts"

const key = () => Keypair.generate().publicKey
const [feePayer, authority] = [key(), key()]
const about = { memoText: operationMemo(newId("op")), rentOf: () => 1 }
const id = "a".repeat(64)

/** With a price, and with the marker of a workspace's own fee payer. */
const sizeOf = (instructions: ReturnType<typeof createAssetMint>) =>
  new TransactionSize(feePayer).with([
    ...computeBudget({ units: 1_400_000, price: 1_000_000, marker: key() }),
    ...instructions,
  ]).bytes

test.each([
  ["x", 100],
  ["ш", 80],
  ["€", 53],
  ["😀", 40],
])("a schema can have the longest name of %s, and the chain shows %i of the characters", (character, shown) => {
  const { place } = newMintPlace()
  const schema = { schemaId: id, schemaName: character.repeat(100) }
  const instructions = createCredentialMint({ authority, feePayer }, { place, ...schema, ...about })
  expect(sizeOf(instructions)).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES)
  const data = Buffer.concat(instructions.map((one) => one.data))
  expect(data.includes(character.repeat(shown))).toBe(true)
  expect(data.includes(character.repeat(shown + 1))).toBe(false)
})

test.each([
  { name: "N".repeat(64), idLength: 64, shown: 64 },
  { name: "€".repeat(32), idLength: 46, shown: 32 },
  { name: "€".repeat(32), idLength: 64, shown: 26 },
])(
  "a token can have the longest names, and the chain shows $shown characters of $name",
  ({ name, idLength, shown }) => {
    const { place } = newMintPlace()
    const names = { id: "a".repeat(idLength), name, symbol: "ABCDEFGHIJ", extensions: mintExtensions }
    const instructions = createAssetMint({ authority, feePayer, decimals: 9 }, { place, ...names, ...about })
    expect(sizeOf(instructions)).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES)
    const data = Buffer.concat(instructions.map((one) => one.data))
    expect(data.includes(name.slice(0, shown))).toBe(true)
    expect(data.includes(name.slice(0, shown + 1))).toBe(shown === name.length)
  },
)
