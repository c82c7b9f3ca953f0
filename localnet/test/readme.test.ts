import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startLocalnet } from "../src/index.ts"
import { maxParams } from "../src/rpc/methods/limits.ts"
import { rpc } from "./client.ts"

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8")
const section = (title: string) => readme.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!
const namesIn = (text: string, name: RegExp) => [...text.matchAll(name)].map(([, found]) => found!).sort()

test("the README lists every method over HTTP, and the network has each of them", async () => {
  const [http] = section("Methods").split("WebSocket:")
  const listed = namesIn(http!, /`([a-z]+[A-Z]\w+)`/g)
  expect(listed).toEqual(Object.keys(maxParams).sort())
  const faults = namesIn(section("Faults"), /`(localnet_\w+)`/g)
  expect(faults).toHaveLength(4)
  const localnet = await startLocalnet({ allowFaults: true })
  for (const method of [...listed, ...faults])
    expect((await rpc(localnet.url, method, [])).error?.code).not.toBe(-32601)
  await localnet.close()
})
