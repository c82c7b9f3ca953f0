import { expect, test } from "vitest"
import type { Kind } from "./fault-injector.ts"
import { newSeed, randomFrom } from "./random.ts"
import { runScenario } from "./run-scenario.ts"
import { servicing } from "./scenarios.ts"

// The short form of `npm run chaos -- servicing`.
test("every burn, forced transfer and hold takes effect once, whatever is killed, restored or forgotten", async () => {
  const seed = newSeed()
  const hits = randomFrom(seed).shuffle<Kind>(["server", "server", "restore", "nodes", "stopped"])
  const lines: string[] = []
  try {
    const summary = await runScenario({
      name: `seed ${seed}`,
      scenario: servicing,
      seed,
      phases: [{ work: 150, hits }],
      settings: { VOUCH_LOCALNET_SLOT_MS: "20" },
      say: (text) => lines.push(text),
    })
    console.log(JSON.stringify(summary))
    expect(summary.hits).toMatchObject({ server: 2, nodes: 1 })
  } catch (error) {
    console.error(lines.join("\n"))
    throw error
  }
})
