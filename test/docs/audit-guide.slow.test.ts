import { execFile, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from "@solana/web3.js"
import { buildSync } from "esbuild"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { anchorAuditLogs } from "#domain/audit-anchors"
import { deployment } from "#domain/deployment"
import { toCell } from "#server/lib/csv.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays } from "#server/lib/time.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { auditMemo, memo } from "#server/solana/memo.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { exportedLog, untilLinked } from "#test/fixtures/audit-chain.ts"
import { advanceClock, realNow } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { codeIn } from "./blocks.ts"

const GUIDE = "docs/guides/audit.md"
const DAYS = 30
const hasPython = spawnSync("python3", ["--version"]).status === 0

usesApp()

/** The auditor's folder, with the programs as the guide prints them, and the client. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vouch-auditor-"))
  writeFileSync(join(folder, "verify.py"), codeIn(GUIDE, "python")[0]!.code)
  writeFileSync(join(folder, "verify.ts"), codeIn(GUIDE, "ts")[0]!.code)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const client = join(folder, "node_modules", "@vouch", "client")
  mkdirSync(client, { recursive: true })
  writeFileSync(join(client, "package.json"), JSON.stringify({ type: "module", main: "index.js" }))
  buildSync({
    entryPoints: [join(import.meta.dirname, "../../client/src/index.ts")],
    ...{ bundle: true, format: "esm", platform: "neutral", outfile: join(client, "index.js") },
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programs = {
  "the client": [process.execPath, "verify.ts"],
  ...(hasPython && { "Python alone": ["python3", "verify.py"] }),
}

type Result = { passes: boolean; output: string }
/** What a program says about a file. It gets the file, the issuer's address and a node, and nothing else. */
const check = ([program, ...args]: string[], csv: string, issuer: string, until: Date): Promise<Result> => {
  writeFileSync(join(folder, "audit.csv"), csv)
  const all = [...args, "audit.csv", issuer, app.chain.url, until.toISOString().slice(0, 10)]
  return new Promise((resolve) =>
    execFile(program!, all, { cwd: folder, env: { ...process.env } }, (error, stdout, stderr) =>
      resolve({ passes: error === null, output: stdout + stderr }),
    ),
  )
}

test("an auditor verifies a month of the log from the export and a node alone, and sees what was changed in it", async () => {
  const owner = await member(app)
  const { workspaceId, account } = owner
  const key = await app.key({ account })
  await tokenFixture(app, key).config()
  await app.verifiedWallet(key)
  const issuer = deployment.keys(authorityPurpose(workspaceId)).publicKey.toBase58()
  const rename = (name: string) =>
    app.request({ method: "PATCH", path: "/schema/kyc_individual_v1", key: key.apiKey, json: { name } })
  for (let day = 1; day <= DAYS; day++) {
    await rename(`Zoë's check, "${day}" =1+1`)
    await untilLinked()
    await advanceClock({ days: day })
    await anchorAuditLogs()
    await waitFor(async () => (await anchors()).length === day, `the anchor of day ${day}`)
  }
  await rename("After the last anchor")
  await untilLinked()
  const auditor = await member(app, { account, role: "viewer" })
  await untilLinked()
  const until = addDays(realNow(), DAYS + 2)
  const csv = await exportedLog(auditor.browser, `&to=${until.toISOString().slice(0, 10)}T00:00:00Z`)
  const places = (await anchors()).map(({ place }) => Number(place))
  const last = places.at(-1)!
  const end = linesOf(csv).length
  expect([places.length, end - last]).toEqual([DAYS, 2])

  const { forged, forgedEnd } = await forgeries(csv, places, issuer)
  const lines = linesOf(csv)
  /** The newest entry is first. */
  const at = (place: number) => lines.length - place
  const middle = places[14]!
  const changed = lines.with(at(middle), { ...lines[at(middle)]!, actor_name: "Mallory" })
  const inBoth = lines.with(at(middle), rewritten(lines[at(middle)]!))
  const swapped = lines.with(at(middle), lines[at(middle + 1)]!).with(at(middle + 1), lines[at(middle)]!)
  const withoutPlace = { ...lines[0]!, place: "", previous_hash: "", hash: "", hashed_text: "", actor_name: "Mallory" }
  const files: Record<string, [file: string, says: RegExp]> = {
    "a changed entry": [fileOf(changed), new RegExp(`\\b${middle}\\b.*changed`)],
    "an entry whose text was changed as well": [fileOf(inBoth), new RegExp(`\\b${middle}\\b.*changed`)],
    "a removed entry": [
      fileOf(lines.toSpliced(at(middle), 1)),
      new RegExp(`\\b${middle}\\b.*(missing|not in its place)`),
    ],
    "a swapped pair": [fileOf(swapped), /reordered|not in its place/],
    "an end that was cut off": [fileOf(lines.slice(at(places.at(-2)!))), new RegExp(`${last}.*missing`)],
    "a row without a place between others": [
      fileOf(lines.toSpliced(at(middle), 0, withoutPlace)),
      /unplaced|without a place/,
    ],
    "a second column of one name": [
      csv.replaceAll("\r\n", ",key.revoked\r\n").replace("key.revoked", "action"),
      /twice|same name/,
    ],
    "a file cut off in the first columns of its last row": [
      csv.slice(0, csv.trimEnd().lastIndexOf("\n") + 8),
      /cut.off/,
    ],
    "a log that was written again, with a stranger's anchor": [forged, /contradicted|another hash/],
  }
  for (const [by, program] of Object.entries(programs)) {
    const sound = await check(program, csv, issuer, until)
    expect(sound, by).toMatchObject({ passes: true, output: expect.stringContaining("Verified") })
    expect(sound.output, by).toMatch(new RegExp(`Entries ${last + 1} to ${end}\\b`))
    for (const [what, [file, says]] of Object.entries(files)) {
      const found = await check(program, file, issuer, until)
      expect(found, `${what}, by ${by}`).toEqual({ passes: false, output: expect.stringMatching(says) })
    }
    expect(sound.output, by).toContain("Columns that prove nothing: subject_name")
    const early = await check(program, fileOf([withoutPlace, ...lines]), issuer, until)
    expect(early, by).toEqual({ passes: true, output: expect.stringContaining("1 without a place: not proven yet") })
    // The issuer has not anchored the end yet, and no one else can: it stays unproven.
    const unproven = await check(program, forgedEnd, issuer, until)
    expect(unproven.output, by).toMatch(new RegExp(`Entries ${last + 1} to ${end}\\b`))
    expect(unproven.output, by).toBe(sound.output)
  }

  function anchors() {
    return sql<{ place: bigint }[]>`
      select place from audit_anchors where workspace_id = ${workspaceId} and signature is not null order by place`
  }
})

type Line = Record<string, string>

/** The log written again from an entry on, or only its end, for which a stranger anchors the new hashes. */
async function forgeries(csv: string, places: number[], issuer: string) {
  const lines = linesOf(csv)
  const forged = rechained(lines, places[14]!)
  const forgedEnd = rechained(lines, places.at(-1)! + 1)
  const stranger = Keypair.generate()
  await app.connection.confirmTransaction(await app.connection.requestAirdrop(stranger.publicKey, LAMPORTS_PER_SOL))
  for (const one of [forged[0]!, forgedEnd[0]!, forged.at(-places.at(-1)!)!]) {
    // The transfer puts it into the issuer's history.
    const transaction = new Transaction().add(
      SystemProgram.transfer({
        fromPubkey: stranger.publicKey,
        toPubkey: new PublicKey(issuer),
        lamports: LAMPORTS_PER_SOL / 100,
      }),
      memo(auditMemo(newId("anch"), Number(one.place), one.hash!), [stranger.publicKey]),
    )
    await sendAndConfirmTransaction(app.connection, transaction, [stranger])
  }
  return { forged: fileOf(forged), forgedEnd: fileOf(forgedEnd) }
}

/** An entry with another actor, in its text too. */
const rewritten = (line: Line): Line => ({
  ...line,
  actor_name: "Mallory",
  hashed_text: line.hashed_text!.replace(`"${line.actor_name}"`, '"Mallory"'),
})

/** Entries whose first is changed from a place on, with hashes that fit. */
function rechained(lines: readonly Line[], from: number): Line[] {
  let hash = ""
  return lines
    .toReversed()
    .map((line) => {
      if (Number(line.place) < from) return line
      const own = Number(line.place) === from ? rewritten(line) : { ...line, previous_hash: hash }
      hash = createHash("sha256").update(`${own.previous_hash}${own.hashed_text}`).digest("hex")
      return { ...own, hash }
    })
    .toReversed()
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g

/** The rows of an export by their columns, the newest first. */
function linesOf(csv: string): Line[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of csv.replace("\ufeff", "").matchAll(CELL)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end !== ",") rows.push([])
  }
  const [header = [], ...lines] = rows.slice(0, -1)
  return lines.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i]!])))
}

const fileOf = (lines: readonly Line[]): string =>
  `\ufeff${[Object.keys(lines[0]!), ...lines.map((line) => Object.values(line))]
    .map((cells) => `${cells.map((cell) => toCell(cell)).join(",")}\r\n`)
    .join("")}`
