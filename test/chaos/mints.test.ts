import { expect, test } from "vitest"
import { dropOrDelay, type Kind } from "./fault-injector.ts"
import { newSeed, randomFrom } from "./random.ts"
import { runScenario } from "./run-scenario.ts"
import { minting } from "./scenarios.ts"

// The short form of `npm run chaos -- mints`.
test("every order takes effect exactly once, whatever is killed while tokens are minted and moved", async () => {
  const seed = newSeed()
  const hits = randomFrom(seed).shuffle<Kind>(["server", "localnet", "postgres"].flatMap((kind) => Array(4).fill(kind)))
  const lines: string[] = []
  try {
    const summary = await runScenario({
      name: `seed ${seed}`,
      scenario: minting,
      seed,
      phases: [{ work: 200, hits, faults: dropOrDelay }],
      say: (text) => lines.push(text),
    })
    console.log(JSON.stringify(summary))
    expect(summary).toMatchObject({ achievements: { mints: 200 }, hits: { server: 4, localnet: 4 } })
  } catch (error) {
    console.error(lines.join("\n"))
    throw error
  }
})
