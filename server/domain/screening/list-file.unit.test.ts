import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import bs58 from "bs58"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isSame, keyIn, readListFile, stampOf } from "./list-file.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vouch-list-"))
})
afterAll(() => rm(folder, { recursive: true }))

const written = async (text: string) => {
  const path = join(folder, "list.txt")
  await writeFile(path, text)
  return path
}
const [alice, bob, carol] = Array.from({ length: 3 }, () => bs58.encode(randomBytes(32))) as [string, string, string]

test.each([
  ["a plain line", alice],
  ["with a Windows line break", `${alice}\r`],
  ["with spaces", `  ${alice} `],
  ["quoted CSV", `"17","LAZARUS GROUP","${alice}","${bob}"`],
  ["CSV with semicolons", `Digital Currency Address - SOL;${alice}`],
  ["in the first column with an address", `SOL\t${alice}\t${bob}`],
  ["after a byte order mark", `\u00ef\u00bb\u00bf${alice}`],
  ["before a remark", `${alice} # a mixer, formerly ${bob}`],
  ["in columns separated by spaces", `SOL ${alice} 2026-11-22`],
  ["with its chain's name", `solana:${alice}|${bob}`],
  ["in a sentence", `Digital Currency Address - SOL ${alice}.`],
  ["next to a byte that is not text", `${alice}\u0000`],
])("an address is found: %s", (_name, line) => {
  expect(bs58.encode(keyIn(line)!)).toBe(alice)
})

test.each([
  ["a comment", `# ${alice}`],
  ["a header", "address,entity"],
  ["nothing", ""],
  ["a Bitcoin address", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"],
  ["an Ethereum address", "0x8589427373D6D84E98730D7795D8f6f8731FDA16"],
  ["a key of 31 bytes", bs58.encode(randomBytes(31).fill(255, 0, 1))],
  ["a key of 33 bytes", bs58.encode(randomBytes(33).fill(255, 0, 1))],
  ["a comment after a byte order mark", `\u00ef\u00bb\u00bf# ${alice}`],
  ["a comment after spaces", `  # ${alice}`],
  ["a hash", createHash("sha256").update(alice).digest("hex")],
])("no address: %s", (_name, line) => {
  expect(keyIn(line)).toBeNull()
})

test("a list has each address once, and the digest that sha256sum prints", async () => {
  const text = `# OFAC, 2026-11-22\n${alice}\nSOL,${bob}\n${alice}\n0x8589427373D6D84E98730D7795D8f6f8731FDA16\n`
  const { addresses, digest } = await readListFile(await written(text))
  expect(addresses.size).toBe(2)
  expect([alice, bob, carol].map((one) => addresses.has(bs58.decode(one)))).toEqual([true, true, false])
  expect(digest).toBe(createHash("sha256").update(text).digest("hex"))
})

test("the first address of a file that begins with a byte order mark counts as well", async () => {
  const { addresses } = await readListFile(await written(`\ufeff${alice}\r\n${bob}\r\n`))
  expect([alice, bob].map((one) => addresses.has(bs58.decode(one)))).toEqual([true, true])
})

test("a file that is replaced by one of the same size and time has changed", async () => {
  const path = await written(`${alice}\n`)
  const [before, old] = [await stampOf(path), new Date(0)]
  await utimes(path, old, old)
  const first = await stampOf(path)
  expect(isSame(before, first)).toBe(false)
  await writeFile(`${path}.new`, `${alice}\n`)
  await utimes(`${path}.new`, old, old)
  await rename(`${path}.new`, path)
  expect(isSame(first, await stampOf(path))).toBe(false)
  expect(isSame(await stampOf(path), await stampOf(path))).toBe(true)
})

test("a pipe without a writer is refused immediately", async () => {
  const path = join(folder, "pipe")
  execFileSync("mkfifo", [path])
  await expect(stampOf(path)).rejects.toThrow("is not a file")
  await expect(readListFile(path)).rejects.toThrow("is not a file")
  await expect(readListFile("/dev/zero")).rejects.toThrow("is not a file")
})

test("a line across the border of two reads stays whole", async () => {
  const all = Array.from({ length: 4000 }, () => bs58.encode(randomBytes(32)))
  const { addresses } = await readListFile(await written(`${all.join("\n")}\n`))
  expect(addresses.size).toBe(4000)
  expect(all.every((one) => addresses.has(bs58.decode(one)))).toBe(true)
})

test.each([
  ["an empty file", "", "no Solana address"],
  ["a file of comments", "# nothing\n", "no Solana address"],
  ["a file that ends in the middle of a line", `${alice}\n${bob.slice(0, 40)}`, "half-written"],
  ["an endless line", "x".repeat(1_100_000), "is not a list"],
])("refused: %s", async (_name, text, why) => {
  await expect(readListFile(await written(text))).rejects.toThrow(why)
})

test("a missing file and a folder are refused", async () => {
  await expect(readListFile(join(folder, "missing"))).rejects.toThrow("cannot be read: ENOENT")
  await expect(readListFile(folder)).rejects.toThrow("cannot be read: EISDIR")
})
