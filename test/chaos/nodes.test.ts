import { expect, test } from "vitest"
import type { Kind } from "./fault-injector.ts"
import { newSeed, randomFrom } from "./random.ts"
import { runScenario } from "./run-scenario.ts"
import { attesting } from "./scenarios.ts"

// The short form of `npm run chaos -- nodes`.
test("every approved wallet is verified exactly once, whatever nodes answer and whatever slots are rolled back", async () => {
  const seed = newSeed()
  const others: Kind[] = ["rollback", "rollback", "rollback", "server", "server", "localnet", "stopped"]
  const hits = others.flatMap((kind): Kind[] => ["nodes", kind])
  const lines: string[] = []
  try {
    const summary = await runScenario({
      name: `seed ${seed}`,
      scenario: attesting,
      seed,
      phases: [{ work: 40, hits: randomFrom(seed).shuffle(hits) }],
      say: (text) => lines.push(text),
    })
    console.log(JSON.stringify(summary))
    expect(summary).toMatchObject({
      achievements: { attestations: 40 },
      hits: { nodes: 7, rollback: 3, server: 2, localnet: 1 },
    })
  } catch (error) {
    console.error(lines.join("\n"))
    throw error
  }
})
