import { expect, test } from "vitest"
import { sayWhenSlow } from "./say-when-slow.ts"

test("a slow step of the start is named repeatedly, a quick one never", async () => {
  const said: string[] = []
  const step = Promise.withResolvers<string>()
  const say = (line: string) => {
    said.push(line)
    if (said.length === 3) step.resolve("there")
  }
  expect(await sayWhenSlow("the chain's answer", step.promise, { firstMs: 5, everyMs: 5, say })).toBe("there")
  expect(said).toEqual(Array(3).fill(expect.stringMatching(/^Waiting for the chain's answer \(\d+ s\)$/)))
  await sayWhenSlow("nothing", Promise.resolve(), { firstMs: 5, everyMs: 5, say })
  const failing = sayWhenSlow("nothing", Promise.reject(new Error("away")), { firstMs: 5, everyMs: 5, say })
  await expect(failing).rejects.toThrow("away")
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(said).toHaveLength(3)
})
