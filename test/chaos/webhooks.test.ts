import { expect, test } from "vitest"
import { deliveries } from "./deliveries.ts"
import { newSeed } from "./random.ts"

// The short form of `npm run chaos -- webhooks`.
test("every consumer gets every event, in order if it asked for that, whatever is killed while events are sent", async () => {
  const seed = newSeed()
  const lines: string[] = [`seed ${seed}`]
  try {
    const held = await deliveries({ events: 300, kills: 3, seed, say: (text) => lines.push(text) })
    console.log(JSON.stringify({ seed, ...held }))
    expect(held.events).toBe(300)
  } catch (error) {
    console.error(lines.join("\n"))
    throw error
  }
})
