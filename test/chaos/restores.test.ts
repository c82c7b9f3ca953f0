import { expect, test } from "vitest"
import type { Kind } from "./fault-injector.ts"
import { newSeed, randomFrom } from "./random.ts"
import { runScenario } from "./run-scenario.ts"
import { trading } from "./scenarios.ts"

// The short form of `npm run chaos -- restores`. Slots are short, because each restore waits for transactions that may
// be in flight.
test("the books and the chain agree in the end, whatever a restore loses and whatever else is killed", async () => {
  const seed = newSeed()
  const hits = randomFrom(seed).shuffle<Kind>(["restore", "restore", "server"])
  const lines: string[] = []
  try {
    const summary = await runScenario({
      name: `seed ${seed}`,
      scenario: trading,
      seed,
      phases: [{ work: 12, hits }],
      settings: { VOUCH_LOCALNET_SLOT_MS: "20" },
      say: (text) => lines.push(text),
    })
    console.log(JSON.stringify(summary))
    const { restore = 0, "restore under a server": below = 0, server } = summary.hits
    expect([restore + below, server]).toEqual([2, 1])
  } catch (error) {
    console.error(lines.join("\n"))
    throw error
  }
})
