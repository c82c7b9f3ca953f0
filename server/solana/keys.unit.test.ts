import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, PublicKey } from "@solana/web3.js"
import { expect, test } from "vitest"
import { mintPlace } from "./keys.ts"

const base = Keypair.generate().publicKey
const of = { workspaceId: "ws_a", kind: "asset", name: "fund" } as const

test("a mint is at the address that Solana derives from its base and seed", async () => {
  const { seed, mint } = mintPlace(base, of)
  expect(mint).toEqual(await PublicKey.createWithSeed(base, seed, TOKEN_2022_PROGRAM_ID))
})

test("each workspace, kind and name has its own place, which never changes", () => {
  const changes = [{}, { workspaceId: "ws_b" }, { kind: "credential" }, { name: "fund2" }] as const
  const places = [...changes, {}].map((change) => mintPlace(base, { ...of, ...change }).mint.toBase58())
  expect(new Set(places).size).toBe(changes.length)
  expect(places.at(-1)).toBe(places[0])
  expect(mintPlace(Keypair.generate().publicKey, of).mint.toBase58()).not.toBe(places[0])
})
