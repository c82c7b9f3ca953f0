import { expect, test } from "vitest"
import { startLocalnet } from "../../src/index.ts"
import { shapesOf } from "./compare.ts"
import { differences } from "./differences.ts"
import { readGolden } from "./golden.ts"

test("every response has the shape of a validator's, except those in differences.ts", async () => {
  const localnet = await startLocalnet({ slotMs: 20 })
  try {
    const shapes = await shapesOf(localnet.url)
    const golden = readGolden()
    const different = Object.keys(shapes).filter((name) => shapes[name] !== golden[name])
    expect(Object.fromEntries(different.map((name) => [name, shapes[name]]))).toEqual(differences)
    expect(Object.keys(shapes).sort()).toEqual(Object.keys(golden).sort())
  } finally {
    await localnet.close()
  }
})
