import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import bs58 from "bs58"
import { afterEach, beforeEach, expect, test } from "vitest"
import { readListFile } from "./list-file.ts"

// Runs the script of docs/screening.md against a file like OFAC's SDN.XML, from a server like OFAC's.
const SCRIPT = join(import.meta.dirname, "../../../scripts/ofac-solana.mjs")

const LISTED = "42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi"
const AS_USDC = "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2"

const id = (uid: number, type: string, number: string) => `      <id>
        <uid>${uid}</uid>
        <idType>${type}</idType>
        <idNumber>${number}</idNumber>
      </id>`
const entry = (uid: number, name: string, ids: string[]) => `  <sdnEntry>
    <uid>${uid}</uid>
    <lastName>${name}</lastName>
    <sdnType>Entity</sdnType>
    <programList>
      <program>CYBER2</program>
    </programList>
    <idList>
${ids.join("\n")}
    </idList>
  </sdnEntry>`
const sdn = (entries: string[], told = entries.length) => `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">
  <publshInformation>
    <Publish_Date>09/23/2026</Publish_Date>
    <Record_Count>${told}</Record_Count>
  </publshInformation>
${entries.join("\n")}
</sdnList>
`
const ENTRIES = [
  entry(101, "EXAMPLE EXCHANGE &amp; CO", [
    id(9001, "Digital Currency Address - XBT", "1AQ4GMqkXSEMKCHnxKVPXSFmVjTAo1aVXY"),
    id(9002, "Digital Currency Address - SOL", LISTED),
    id(9003, "Registration Number", "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K3"),
  ]),
  entry(102, "Example Mixer", [
    id(9004, "Digital Currency Address - ETH", "0xAbCdEf0000000000000000000000000000000001"),
    id(9005, "Digital Currency Address - USDC", AS_USDC),
    id(9006, "Digital Currency Address - SOL", LISTED),
    id(9007, "Digital Currency Address - TRX", "TQooBX9o8iSSprLWW96YShBogx7Uwisuim"),
  ]),
]

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "vouch-ofac-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const list = () => join(directory, "ofac-solana.txt")
const write = (...args: string[]) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, [SCRIPT, list(), ...args], (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, said: out + err }),
    )
  })
const addresses = async () => {
  const { addresses } = await readListFile(list())
  const keys = [LISTED, AS_USDC, "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K3"]
  return { size: addresses.size, has: keys.map((key) => addresses.has(bs58.decode(key))) }
}

/** Runs the script against a server with this answer. */
async function from(body: string, status = 200): Promise<{ code: number; said: string }> {
  const server = createServer((request, response) => {
    if (request.url === "/SDN.XML") response.writeHead(302, { location: "/exports/SDN.XML" }).end()
    else response.writeHead(status, { "content-type": "application/xml" }).end(body)
  })
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go))
  try {
    return await write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/SDN.XML`)
  } finally {
    server.close()
  }
}

test.each(["\n", "\r\n", ""])("addresses of each currency are written once (line ends: %j)", async (end) => {
  const { code, said } = await from(sdn(ENTRIES).replaceAll("\n", end))
  expect([code, said]).toEqual([0, `${list()}: 5 addresses\n`])
  // Vouch reads only Solana addresses, and no other numbers that look like one.
  expect(await addresses()).toEqual({ size: 2, has: [true, true, false] })
  expect(readdirSync(directory)).toEqual(["ofac-solana.txt"])
})

test("a file works as source, and an unchanged one changes nothing", async () => {
  const source = join(directory, "SDN.XML")
  writeFileSync(source, sdn(ENTRIES))
  expect((await write(source)).said).toContain("5 addresses")
  expect((await write(source)).said).toContain("5 addresses, as before")
  writeFileSync(source, sdn(ENTRIES.slice(0, 1)))
  expect((await write(source)).said).toBe(`${list()}: 2 addresses\n`)
  expect(await addresses()).toEqual({ size: 1, has: [true, false, false] })
})

test.each<[string, string, number, RegExp]>([
  ["is away", "", 503, /answered 503/],
  ["answers with a page", "<html>Maintenance</html>", 200, /not OFAC's SDN list/],
  ["breaks off", sdn(ENTRIES).slice(0, -40), 200, /or is incomplete/],
  ["leaves entries out", sdn(ENTRIES, 3), 200, /has 2 entries, and says 3/],
  ["names no address", sdn([entry(1, "X", [id(1, "Passport", "X1")])]), 200, /no digital currency address/],
])("a server that %s leaves the list unchanged", async (_what, body, status, problem) => {
  const before = `${LISTED}\n`
  writeFileSync(list(), before)
  const { code, said } = await from(body, status)
  expect(code).toBe(1)
  expect(said).toMatch(problem)
  expect(readFileSync(list(), "utf8")).toBe(before)
  expect(readdirSync(directory)).toEqual(["ofac-solana.txt"])
})
