import { Keypair } from "@solana/web3.js"
import { expect, test } from "vitest"
import { type AuditAnswer, verifyAuditLog, type Web3Connection } from "#client/index.ts"
import { type ChainedEntry, FIRST_HASH, hashedText, linkHash, showHash } from "#server/domain/audit-log/chain.ts"
import { toCell } from "#server/lib/csv.ts"
import { MEMO_PROGRAM_ID } from "#server/solana/addresses.ts"
import { type Instruction, nodeWith } from "./known-transaction.ts"

const newKey = () => Keypair.generate().publicKey.toBase58()
const [issuer, older, stranger] = [newKey(), newKey(), newKey()]
const MEMO = MEMO_PROGRAM_ID.toBase58()
const START_MS = Date.parse("2026-11-01T00:00:00Z")
const COLUMNS =
  "at,action,actor,actor_id,actor_name,subject,subject_name,scope,detail,request_id,place,previous_hash,hash,hashed_text"

type Entry = ChainedEntry & { place: number; previous: Buffer; hash: Buffer }

/** A log with as many entries, a minute apart. */
function logOf(count: number, change: (place: number) => Partial<ChainedEntry> = () => ({})): Entry[] {
  const log: Entry[] = []
  let hash = FIRST_HASH
  for (let place = 1; place <= count; place++) {
    const entry = {
      workspace_id: place % 3 === 0 ? null : "ws_1",
      at: new Date(START_MS + place * 60_000 + 123),
      action: "key.created",
      actor: "user" as const,
      actor_id: `user_${place}`,
      actor_name: "Zoë =1+1",
      subject: `key_${place}`,
      detail: { amount: "-5", name: 'a "quoted", name' },
      request_id: place % 2 === 0 ? null : `req_${place}`,
      ...change(place),
    }
    const previous = hash
    hash = linkHash(previous, hashedText(BigInt(place), entry)) as Buffer<ArrayBuffer>
    log.push({ ...entry, place, previous, hash })
  }
  return log
}

const lineOf = (entry: Entry): string[] => [
  ...[`${entry.at.toISOString().slice(0, 19)}Z`, entry.action, entry.actor, entry.actor_id ?? "", entry.actor_name],
  ...[entry.subject, "a name at display time", entry.workspace_id === null ? "account" : "workspace"],
  ...[JSON.stringify(entry.detail), entry.request_id ?? "", String(entry.place), showHash(entry.previous)],
  ...[showHash(entry.hash), hashedText(BigInt(entry.place), entry)],
]
const UNLINKED = [
  "2026-11-02T00:00:00Z",
  "key.created",
  "user",
  "u",
  "Zoë",
  "key_x",
  "",
  "workspace",
  "{}",
  "",
  "",
  "",
  "",
  "",
]

const csvOf = (lines: string[][]): string =>
  `\ufeff${[COLUMNS.split(","), ...lines].map((cells) => `${cells.map(toCell).join(",")}\r\n`).join("")}`
const fileOf = (log: readonly Entry[]): string => csvOf(log.map(lineOf).toReversed())

type Anchored = {
  place: number
  hash: string
  id?: string
  by?: string
  signers?: string[]
  text?: string
  at?: number
}
const anchorOf = (log: readonly Entry[], place: number, more: Partial<Anchored> = {}): Anchored => ({
  ...{ place, hash: showHash(log[place - 1]!.hash), ...more },
})

/** A node whose history has these anchors, the oldest first. It lists at most a thousand at a time, as nodes do. */
function nodeWithAnchors(anchors: readonly Anchored[]): Web3Connection & { reads: number } {
  const memos = anchors.map(({ place, hash, id = `anch_${"9".repeat(16)}${place % 10}`, text }) => {
    return text ?? `vouch:1:${id}:${place}:${hash}`
  })
  const listed = memos.map((memo, i) => ({
    ...{ signature: String(i), err: null, memo: `[${memo.length}] ${memo}` },
    blockTime: anchors[i]!.at ?? START_MS / 1000 + 86_400 * (i + 1),
  }))
  const node = {
    rpcEndpoint: "",
    reads: 0,
    async getSignaturesForAddress(_address: unknown, { before, limit = 1000 }: { before?: string; limit?: number }) {
      const all = listed.toReversed()
      const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1
      return all.slice(from, from + limit)
    },
    async getTransaction(signature: string) {
      node.reads++
      const { by = issuer, signers = [by] } = anchors[Number(signature)]!
      const memo: Instruction = { program: MEMO, accounts: [by], data: Buffer.from(memos[Number(signature)]!) }
      return nodeWith([memo], signers).getTransaction(signature, {
        commitment: "confirmed",
        maxSupportedTransactionVersion: 0,
      })
    },
  }
  return node as unknown as Web3Connection & { reads: number }
}

const verify = (csv: string | Uint8Array, anchors: readonly Anchored[], by: string | string[] = issuer) =>
  verifyAuditLog(nodeWithAnchors(anchors), { issuer: by, csv })

/** The answer in short: what is proven, what is not, and the breaks. */
const short = ({ verified, proven, unproven, breaks }: AuditAnswer) => ({
  verified,
  proven: proven.map(({ from, to, anchor }) => `${from}-${to} by ${anchor.place}`),
  unproven: unproven.map(({ from, to }) => `${from}-${to}`),
  breaks: breaks.map(({ kind, from, to }) => `${kind} ${from}-${to}`),
})
const log = logOf(12)
const anchors = [anchorOf(log, 4), anchorOf(log, 9)]
const check = async (csv: string | Uint8Array, on: readonly Anchored[] = anchors) => short(await verify(csv, on))

test("entries up to the last anchor are proven, each by the first anchor after it, and newer ones are named", async () => {
  const whole = { verified: true, proven: ["1-4 by 4", "5-9 by 9"], unproven: ["10-12"], breaks: [] }
  expect(await check(fileOf(log))).toEqual(whole)
  expect(await check(Buffer.from(fileOf(log)))).toEqual(whole)
  const answer = await verify(fileOf(log), anchors)
  expect(answer).toMatchObject({ range: { from: 1, to: 12 }, unlinked: 0, later: null })
  expect(answer.proven[1]!.anchor).toEqual({
    ...{ id: "anch_99999999999999999", place: 9, hash: showHash(log[8]!.hash), transaction: "1", authority: issuer },
    at: START_MS / 1000 + 2 * 86_400,
  })
})

test("a part of the log is verified by itself, and the answer says that the log goes on", async () => {
  const answer = await verify(fileOf(log.slice(2, 7)), anchors)
  expect(short(answer)).toEqual({ verified: true, proven: ["3-4 by 4"], unproven: ["5-7"], breaks: [] })
  expect(answer.later).toMatchObject({ place: 9 })
})

test("a file that a program saved with other line ends, without a byte order mark or turned around is verified", async () => {
  const plain = fileOf(log).replace("\ufeff", "").replaceAll("\r\n", "\n")
  expect((await check(plain)).verified).toBe(true)
  expect((await check(plain.trimEnd())).verified).toBe(true)
  expect((await check(csvOf(log.map(lineOf)))).verified).toBe(true)
})

test("entries that were not linked yet are counted and proven by nothing", async () => {
  const answer = await verify(csvOf([UNLINKED, ...log.map(lineOf).toReversed()]), anchors)
  expect(answer).toMatchObject({ verified: true, unlinked: 1 })
  expect(await verify(csvOf([UNLINKED]), anchors)).toMatchObject({ verified: false, range: null, unlinked: 1 })
})

const readable = COLUMNS.split(",").filter(
  (name) => !["subject_name", "previous_hash", "hash", "hashed_text"].includes(name),
)
test.each(readable)("a changed %s is found", async (name) => {
  const lines = log.map(lineOf)
  const cells = lines[5]!
  const at = COLUMNS.split(",").indexOf(name)
  cells[at] = name === "place" ? "600" : `${cells[at]}x`
  const { verified, breaks } = await check(csvOf(lines.toReversed()))
  expect(verified).toBe(false)
  expect(breaks[0]).toBe(name === "place" ? "missing 6-6" : "changed 6-6")
})

test("columns that no hash covers are named, because they may have been changed or added", async () => {
  const lines = log.map(lineOf)
  lines[5]![6] = "another name"
  expect(await verify(csvOf(lines.toReversed()), anchors)).toMatchObject({
    ...{ verified: true, unprovenColumns: ["subject_name"] },
  })
  const added = csvOf(lines.toReversed()).replaceAll("\r\n", ",x\r\n")
  expect((await verify(added, anchors)).unprovenColumns).toEqual(["subject_name", "x"])
})

test("a file with two columns of one name is refused", async () => {
  const doubled = fileOf(log).replaceAll("\r\n", ",key.revoked\r\n").replace("key.revoked", "action")
  await expect(verify(doubled, anchors)).rejects.toThrow("csv: must be an export of the audit log; it has action twice")
})

test("a row without a place is a break unless only such rows stand above it", async () => {
  const newestFirst = log.map(lineOf).toReversed()
  const insert = (at: number) => newestFirst.toSpliced(at, 0, UNLINKED)
  expect((await check(csvOf(insert(0)))).breaks).toEqual([])
  expect((await check(csvOf(insert(0).toReversed()))).breaks).toEqual([])
  expect(await check(csvOf(insert(4)))).toMatchObject({ verified: false, breaks: ["unplaced 9-9"] })
  expect((await check(csvOf(insert(12)))).breaks).toEqual(["unplaced 1-1"])
  expect((await check(csvOf(insert(12).toReversed()))).breaks).toEqual(["unplaced 1-1"])
})

test("an entry whose text was changed as well breaks the chain, and only entries that lead to an anchor are proven", async () => {
  const lines = log.map(lineOf)
  const other = { ...log[5]!, actor_name: "Mallory" }
  lines[5] = lineOf(other)
  expect(await check(csvOf(lines.toReversed()))).toEqual({
    ...{ verified: false, proven: ["1-4 by 4", "7-9 by 9"], unproven: ["5-5", "10-12"], breaks: ["changed 6-6"] },
  })
  // With its own hash, it no longer leads to the next one.
  lines[5] = lineOf({ ...other, hash: linkHash(other.previous, hashedText(6n, other)) })
  expect(await check(csvOf(lines.toReversed()))).toEqual({
    ...{ verified: false, proven: ["1-4 by 4", "7-9 by 9"], unproven: ["5-6", "10-12"], breaks: ["changed 6-7"] },
  })
})

test("a log that was written again from an entry on contradicts the anchors after it", async () => {
  const forged = logOf(12, (place) => (place === 6 ? { actor_name: "Mallory" } : {}))
  expect(await check(fileOf(forged))).toEqual({
    ...{ verified: false, proven: ["1-4 by 4"], unproven: ["5-12"], breaks: ["contradicted 9-9"] },
  })
  // A file that begins later has the hash of the entry before it, which the anchor contradicts as well.
  expect((await check(fileOf(forged.slice(9)))).breaks).toEqual(["contradicted 9-9"])
  // Another anchor of the same place does not hide the first one.
  const again = [...anchors, anchorOf(forged, 12)]
  expect(await check(fileOf(forged), again)).toMatchObject({ verified: false, breaks: ["contradicted 9-9"] })
})

test("missing, repeated and reordered entries are found", async () => {
  const without = (from: number, to: number) => log.filter(({ place }) => place < from || place > to)
  expect(await check(fileOf(without(6, 7)))).toEqual({
    ...{ verified: false, proven: ["1-4 by 4", "8-9 by 9"], unproven: ["5-5", "10-12"], breaks: ["missing 6-7"] },
  })
  const [newest, ...others] = log.map(lineOf).toReversed()
  expect((await check(csvOf([newest!, newest!, ...others]))).breaks).toEqual(["repeated 12-12"])
  expect((await check(csvOf([...others.slice(0, 3), newest!, ...others.slice(3)]))).breaks).toEqual(["reordered 12-12"])
  // Two entries that exchanged their places in the chain.
  const lines = log.map(lineOf)
  const [five, six] = [lines[4]!, lines[5]!]
  for (const at of [10, 11, 12]) [five[at], six[at]] = [six[at]!, five[at]!]
  expect((await check(csvOf(lines.toReversed()))).breaks).toEqual(["changed 5-5", "changed 6-6", "reordered 6-6"])
})

test("a file without its newest entries is verified up to its end, and the answer shows what is anchored after it", async () => {
  const answer = await verify(fileOf(log.slice(0, 6)), anchors)
  expect(short(answer)).toEqual({ verified: true, proven: ["1-4 by 4"], unproven: ["5-6"], breaks: [] })
  expect(answer.later).toMatchObject({ place: 9, transaction: "1" })
})

test("a file that should go until a day has a break if an anchor before that day is of a later entry", async () => {
  const part = fileOf(log.slice(0, 6))
  const until = async (hours: number) => {
    const date = new Date(START_MS + hours * 3_600_000)
    return short(await verifyAuditLog(nodeWithAnchors(anchors), { issuer, csv: part, until: date })).breaks
  }
  // The second anchor is made at hour 48. Clocks differ by less than an hour.
  expect(await until(48.9)).toEqual([])
  expect(await until(49.1)).toEqual(["missing 7-9"])
  const whole = { issuer, csv: fileOf(log), until: new Date(START_MS + 72 * 3_600_000) }
  expect((await verifyAuditLog(nodeWithAnchors(anchors), whole)).breaks).toEqual([])
})

test("a file that should reach back to a day has a break unless its entries or an older anchor show that it does", async () => {
  const since = async (part: readonly Entry[], hours: number) => {
    const date = new Date(START_MS + hours * 3_600_000)
    return short(await verifyAuditLog(nodeWithAnchors(anchors), { issuer, csv: fileOf(part), since: date })).breaks
  }
  // Entries are written in the first minutes. Entries up to 4 are anchored at hour 24.
  const fromFifth = log.slice(4)
  expect(await since(log, -100)).toEqual([])
  expect(await since(fromFifth, 1)).toEqual([])
  expect(await since(fromFifth, 0)).toEqual(["begins_late 5-5"])
  const late = logOf(12, (place) => (place > 4 ? { at: new Date(START_MS + 26 * 3_600_000) } : {}))
  const on = [anchorOf(late, 4), anchorOf(late, 9)]
  const sinceDay = async (from: number, hours: number) =>
    short(
      await verifyAuditLog(nodeWithAnchors(on), {
        ...{ issuer, csv: fileOf(late.slice(from - 1)), since: new Date(START_MS + hours * 3_600_000) },
      }),
    ).breaks
  expect(await sinceDay(5, 24)).toEqual([])
  expect(await sinceDay(5, 22.9)).toEqual(["begins_late 5-5"])
  expect(await sinceDay(6, 24)).toEqual(["begins_late 6-6"])
})

test("a download that broke off is found, wherever it was cut", async () => {
  const whole = fileOf(log)
  const inRow = whole.length - 700
  for (let length = inRow; length < inRow + 400; length++) {
    const { verified, breaks } = await check(whole.slice(0, length))
    const isBetween = whole.slice(0, length).endsWith("\r\n") || whole.slice(length).startsWith("\r\n")
    const isBare = whole.slice(0, length).endsWith("\r")
    if (!isBetween && !isBare)
      expect([length, verified, breaks.map((one) => one.split(" ")[0])]).toEqual([length, false, ["cut_off"]])
  }
})

test("the first entry follows nothing", async () => {
  const late = logOf(3)
  const moved = { ...late[0]!, previous: late[2]!.hash }
  const first = { ...moved, hash: linkHash(moved.previous, hashedText(1n, moved)) }
  expect((await check(fileOf([first]), [])).breaks).toEqual(["changed 1-1"])
})

test("without an anchor nothing is proven, so the file is not verified", async () => {
  expect(await check(fileOf(log), [])).toEqual({ verified: false, proven: [], unproven: ["1-12"], breaks: [] })
})

test.each<[string, Partial<Anchored>]>([
  ["that another key signed", { by: stranger }],
  ["that names the issuer, who did not sign", { signers: [stranger] }],
  ["of another version", { text: `vouch:2:anch_99999999999999999:4:${showHash(log[3]!.hash)}` }],
  ["with more behind the hash", { text: `vouch:1:anch_99999999999999999:4:${showHash(log[3]!.hash)}:x` }],
])("an anchor %s proves and contradicts nothing", async (_what, more) => {
  const right = anchorOf(log, 4, more)
  const wrong = anchorOf(log, 4, { ...more, hash: "0".repeat(64) })
  expect(await check(fileOf(log), [right, wrong])).toMatchObject({ verified: false, proven: [], breaks: [] })
})

test("anchors of a replaced key count if it is given", async () => {
  const on = [anchorOf(log, 4, { by: older }), anchorOf(log, 9)]
  expect(short(await verify(fileOf(log), on, [issuer, older])).proven).toEqual(["1-4 by 4", "5-9 by 9"])
})

test("anchors that a restore lost are named as such if the log says so, and the file is not verified", async () => {
  const id = "anch_LLLLLLLLLLLLLLLLL"
  const lost = anchorOf(
    logOf(9, () => ({ actor_name: "Before the restore" })),
    7,
    { id },
  )
  const restored = logOf(12, (place) => (place === 8 ? { action: "audit_log.entries_lost", subject: id } : {}))
  const on = [anchorOf(restored, 4), lost, anchorOf(restored, 9)]
  expect(await check(fileOf(restored), on)).toEqual({
    ...{ verified: false, proven: ["1-4 by 4", "5-9 by 9"], unproven: ["10-12"], breaks: ["lost 7-7"] },
  })
})

test("the history is read in pages, back to the day before the first entry", async () => {
  const long = logOf(3)
  const old = Array.from({ length: 5 }, () => anchorOf(long, 1, { at: START_MS / 1000 - 3 * 86_400 }))
  const node = nodeWithAnchors([...old, ...Array.from({ length: 2500 }, () => anchorOf(long, 2))])
  expect((await verifyAuditLog(node, { issuer, csv: fileOf(long) })).proven).toHaveLength(1)
  expect(node.reads).toBe(2500)
  await expect(verifyAuditLog(node, { issuer, csv: fileOf(long), most: 2499 })).rejects.toThrow(
    "More than 2499 transactions",
  )
})

test("a file that is no export of the audit log is refused", async () => {
  await expect(verify("a,b\r\n1,2\r\n", anchors)).rejects.toThrow(
    "csv: must be an export of the audit log; it has no column place",
  )
  await expect(verify(fileOf(log), anchors, "x")).rejects.toThrow("issuer: must be an address")
})
