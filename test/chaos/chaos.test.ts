import { expect, test } from "vitest"
import type { Kind } from "./fault-injector.ts"
import { newSeed, randomFrom } from "./random.ts"
import { runScenario } from "./run-scenario.ts"
import { attesting } from "./scenarios.ts"

// The short form of `npm run chaos`: all faults at once, each a few times.
test("every approved wallet is verified exactly once, whatever is killed and whatever the network loses", async () => {
  const seed = newSeed()
  const each = (kinds: Kind[], times: number) =>
    randomFrom(seed).shuffle(kinds.flatMap((kind) => Array<Kind>(times).fill(kind)))
  const kinds: Kind[] = ["server", "localnet", "postgres", "lost"]
  const faults = { drop: 0.3, delay: { p: 0.3, ms: 100 }, too_many_requests: 0.05, land_without_answer: 0.3 }
  const lines: string[] = []
  try {
    const summary = await runScenario({
      name: `seed ${seed}`,
      scenario: attesting,
      seed,
      phases: [
        { work: 40, hits: each(kinds, 3) },
        { work: 20, hits: each(kinds, 1), faults },
      ],
      say: (text) => lines.push(text),
    })
    console.log(JSON.stringify(summary))
    expect(summary).toMatchObject({
      achievements: { attestations: 60 },
      hits: { server: 4, localnet: 4, "lost transactions": 4 },
    })
  } catch (error) {
    console.error(lines.join("\n"))
    throw error
  }
})
