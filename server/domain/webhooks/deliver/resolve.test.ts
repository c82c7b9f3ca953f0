import dns from "node:dns"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startNameServer } from "#test/doubles/name-server.ts"
import { resolveName } from "./resolve.ts"

let names: Awaited<ReturnType<typeof startNameServer>>
beforeAll(async () => {
  names = await startNameServer((name) => {
    if (name.startsWith("hang")) return "nothing"
    if (name === "two.example") return ["203.0.113.7", "203.0.113.8"]
    return name === "empty.example" ? [] : "unknown"
  })
})
afterAll(() => names.close())

const resolve = (name: string, { family = 0, withSystem = false } = {}) =>
  resolveName(name, { family, withSystem, servers: [names.server] })

test("all addresses of a name are found, in the requested family", async () => {
  const both = [
    { address: "203.0.113.7", family: 4 },
    { address: "203.0.113.8", family: 4 },
  ]
  expect(await resolve("two.example")).toEqual(both)
  expect(await resolve("two.example", { family: 4 })).toEqual(both)
  await expect(resolve("two.example", { family: 6 })).rejects.toMatchObject({ code: "ENOTFOUND" })
})

test.each(["unknown.example", "empty.example"])("%s has no address", async (name) => {
  await expect(resolve(name)).rejects.toMatchObject({ code: "ENOTFOUND" })
})

test("name servers that never answer block neither another name nor the threads of this process", async () => {
  let isAnyOver = false
  const hung = Array.from({ length: 16 }, (_, i) =>
    resolve(`hang-${i}.example`).catch((error: NodeJS.ErrnoException) => {
      isAnyOver = true
      return error.code
    }),
  )
  const before = names.asked()
  expect(await resolve("two.example")).toHaveLength(2)
  // Read in a thread, like files.
  expect(await dns.promises.lookup("localhost", { family: 4 })).toEqual({ address: "127.0.0.1", family: 4 })
  expect(isAnyOver).toBe(false)
  expect(names.asked()).toBeGreaterThan(before)
  expect(new Set(await Promise.all(hung))).toEqual(new Set(["EAI_AGAIN"]))
})

test("the system is asked about names that only it knows, if the operator allows networks", async () => {
  await expect(resolve("localhost")).rejects.toMatchObject({ code: "ENOTFOUND" })
  const found = await Promise.all(Array.from({ length: 8 }, () => resolve("localhost", { withSystem: true })))
  for (const one of found) expect(one.map(({ address }) => address)).toContain("127.0.0.1")
  await expect(resolve("unknown.invalid", { withSystem: true })).rejects.toMatchObject({
    code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
  })
})
